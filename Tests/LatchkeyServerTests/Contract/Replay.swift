import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

/// Sends recorded requests to this server after replacing the recorded ids, tokens and codes with its own.
struct Replay {
    private let setup: RecordedSetup
    private let server: TestServer
    private let transport: TestTransport
    private var codes: [String: String] = [:]

    /// The mapping between this server's ids and tokens and the recorded ones.
    var names = Correspondence()

    init(_ setup: RecordedSetup, on server: TestServer) async throws {
        self.setup = setup
        self.server = server
        transport = server.transport()
        for person in setup.people { try await register(person) }
        for flow in setup.flows { try await begin(flow) }
        // We pause here to avoid exceeding the limits on codes.
        try await pass(.seconds(60))
    }

    /// Sends a recorded request.
    mutating func send(_ recorded: RecordedExchange.Request, step: Int) async throws -> HTTP.Response {
        if let wait = setup.waits[step] { try await pass(wait) }
        var headers: HTTP.Headers = ["Accept": "application/json"]
        for (name, value) in recorded.headers ?? [:] { headers[name] = names.translate(value) }
        var body: [UInt8] = []
        if case .object(var members)? = recorded.body {
            for (name, value) in members {
                guard let text = value.text else { continue }
                members[name] = .string(name == "code" ? try await code(text) : names.translate(text))
            }
            headers["Content-Type"] = "application/json"
            body = try JSONCoding.encode(JSONValue.object(members))
        }
        let query = recorded.query?.sorted { $0.key < $1.key }
            .map { "\($0.key)=\(names.translate($0.value))" }.joined(separator: "&")
        let method = HTTP.Method(rawValue: recorded.method)
        let request = HTTP.Request(method, recorded.path, query: query, headers: headers, body: body)
        return try await transport.send(request, to: TestServer.url)
    }

    /// Returns the code that this server sent if the recorded code was correct, and a wrong code otherwise.
    private mutating func code(_ recorded: String) async throws -> String {
        if let known = codes[recorded] { return known }
        try await messagesAreSent()
        guard let address = setup.rightCodes[recorded] else {
            let sent = Set(setup.people.flatMap { sentCodes(to: $0.email) + sentCodes(to: $0.phone) })
            return [recorded, "000000", "000001"].first { !sent.contains($0) } ?? recorded
        }
        let code = try #require(sentCodes(to: address).last)
        codes[recorded] = code
        return code
    }

    private mutating func register(_ person: RecordedSetup.Person) async throws {
        let begun = try await json(.get, "/self-service/registration/api")
        let body = JSONValue.object([
            "method": .string("password"), "password": .string(person.password), "traits": person.traits,
        ])
        let flow = try #require(begun["id"]?.text)
        let answer = try await json(.post, "/self-service/registration", query: "flow=\(flow)", body: body)
        let token = try #require(answer["session_token"]?.text)
        try await confirm(answer)
        if let recorded = person.token { _ = names.learn(ours: token, recorded: recorded) }
    }

    /// Confirms the addresses of an account like an operator would.
    ///
    /// If the account stayed unconfirmed, using a code would reclaim the account.
    private func confirm(_ registration: JSONValue) async throws {
        let id = try #require(registration["identity"]?["id"]?.text.flatMap { Identifier($0) })
        let now = server.time.now
        _ = try await #require(server.database).transaction { transaction in
            try IdentityRepository.change(id, in: transaction) { $0.vouched(at: now) }
        }
    }

    private mutating func begin(_ flow: RecordedSetup.BegunFlow) async throws {
        let path = "/self-service/\(flow.kind.rawValue)"
        let id = try #require(try await json(.get, path + "/api")["id"]?.text)
        _ = names.learn(ours: id, recorded: flow.id)
        try await pass(.seconds(60))
        for body in flow.submitted { _ = try await json(.post, path, query: "flow=\(id)", body: body) }
    }

    private func sentCodes(to address: String) -> [String] {
        server.codes.codes(for: address).map(\.exposed)
    }

    /// Advances the clock once all deliveries have completed.
    ///
    /// If the clock advanced during a delivery, the lease could expire and the message would be sent again.
    private func pass(_ time: Duration) async throws {
        try await messagesAreSent()
        server.time.advance(by: time)
    }

    private func messagesAreSent() async throws {
        let waiting: SQL = "SELECT COUNT(*) FROM messages WHERE status = 'queued'"
        let end = ContinuousClock.now + .seconds(30)
        while try await server.database?.rows(waiting).first?.integer(0) ?? 0 > 0 {
            try #require(ContinuousClock.now < end, "messages wait to be sent")
            await Task.yield()
        }
    }

    private func json(
        _ method: HTTP.Method,
        _ path: String,
        query: String? = nil,
        body: JSONValue? = nil
    ) async throws -> JSONValue {
        let bytes = try body.map { try JSONCoding.encode($0) } ?? []
        let headers: HTTP.Headers = ["Content-Type": "application/json", "Accept": "application/json"]
        let request = HTTP.Request(method, path, query: query, headers: headers, body: bytes)
        return try JSONCoding.decode(from: try await transport.send(request, to: TestServer.url).body)
    }
}
