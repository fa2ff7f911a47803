import LatchkeyTestKit
import LatchkeyWire
import Testing

/// Sends recorded requests to a server of ours, with our ids and tokens in place of the recorded ones.
struct Replay {
    private let transport: TestTransport
    private var flow: String?
    private var token: String?

    init(transport: TestTransport) {
        self.transport = transport
    }

    /// Registers whoever logs in later in the recording, so that there is an account and a session.
    mutating func register(personOf exchanges: [RecordedExchange]) async throws {
        let traits = exchanges.lazy.compactMap { $0.answer.body["session"]?["identity"]?["traits"] }.first
        let identifier = exchanges.lazy.compactMap { $0.request.body?["identifier"]?.text }.first
        let person =
            traits
            ?? .object([
                "email": .string(identifier ?? "somebody@example.org"), "phone": .string("+4366612345678"),
            ])
        let password = exchanges.last?.request.body?["password"]?.text ?? ""
        let flow = try await json(.get, "/self-service/registration/api")["id"]?.text
        let body = JSONValue.object([
            "method": .string("password"),
            "password": .string(password.isEmpty ? "correct-Horse-7-battery" : password),
            "traits": person,
        ])
        let answer = try await json(
            .post,
            "/self-service/registration",
            query: "flow=\(flow ?? "")",
            body: body
        )
        token = try #require(answer["session_token"]?.text)
    }

    mutating func send(_ recorded: RecordedExchange.Request) async throws -> HTTPResponse {
        var headers: HTTPHeaders = ["Accept": "application/json"]
        for name in (recorded.headers ?? [:]).keys { headers[name] = ours(recorded.headers?[name] ?? "") }
        var body: [UInt8] = []
        if var value = recorded.body {
            if case .object(var members) = value, let text = members["session_token"]?.text {
                members["session_token"] = .string(ours(text))
                value = .object(members)
            }
            headers["Content-Type"] = "application/json"
            body = try JSONCoding.encode(value)
        }
        let query = recorded.query.map { items in
            items.keys.map { "\($0)=\($0 == "flow" || $0 == "id" ? flow ?? "" : items[$0] ?? "")" }
                .joined(separator: "&")
        }
        let method = HTTPMethod(rawValue: recorded.method)
        let request = HTTPRequest(method, recorded.path, query: query, headers: headers, body: body)
        let answer = try await transport.send(request, to: TestServer.url)
        if let value = try? JSONCoding.decode(JSONValue.self, from: answer.body) {
            if value["ui"] != nil { flow = value["id"]?.text }
            if let issued = value["session_token"]?.text { token = issued }
        }
        return answer
    }

    /// The recordings use one token of nobody's; all others stand for the session of the person.
    private func ours(_ recorded: String) -> String {
        recorded.hasSuffix("bbbb") || !recorded.hasPrefix("ory_st_") ? recorded : token ?? ""
    }

    private func json(
        _ method: HTTPMethod,
        _ path: String,
        query: String? = nil,
        body: JSONValue? = nil
    ) async throws -> JSONValue {
        let bytes = try body.map { try JSONCoding.encode($0) } ?? []
        let headers: HTTPHeaders = ["Content-Type": "application/json", "Accept": "application/json"]
        let request = HTTPRequest(method, path, query: query, headers: headers, body: bytes)
        return try JSONCoding.decode(from: try await transport.send(request, to: TestServer.url).body)
    }
}
