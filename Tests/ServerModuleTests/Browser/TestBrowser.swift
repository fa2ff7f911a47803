import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeySelfService

/// A browser that keeps cookies and submits the forms that it is shown.
///
/// As ``ResponseFormat/page``, it sends forms and is redirected, and then reads the flow as the server that renders
/// its pages does. As ``ResponseFormat/json``, it is the script of a page.
final class TestBrowser: Sendable {
    static let sessionCookie = "__Host-latchkey_session"
    static let csrfCookie = "__Host-csrf_token"

    let server: SelfServiceServer
    let format: ResponseFormat
    private let jar: Locked<[String: String]>
    private let fields = Locked<[String]>([])

    init(_ server: SelfServiceServer, as format: ResponseFormat = .page, cookies: [String: String] = [:]) {
        self.server = server
        self.format = format
        jar = Locked(cookies)
    }

    /// The cookies, which tests may also plant.
    var cookies: [String: String] {
        get { jar.withLock { $0 } }
        set { jar.withLock { $0 = newValue } }
    }

    var isLoggedIn: Bool { cookies[Self.sessionCookie] != nil }

    /// The `Set-Cookie` fields of the last response.
    var lastFields: [String] { fields.withLock { $0 } }

    // MARK: Requests

    /// Sends a request to a path, or to an address of the server.
    @discardableResult
    func get(_ address: String, headers: HTTP.Headers = [:], method: HTTP.Method = .get) async -> Answer {
        await send(request(method, address, headers))
    }

    /// Submits a form, or the JSON of a script.
    @discardableResult
    func post(_ address: String, _ values: [String: String], headers: HTTP.Headers = [:]) async throws
        -> Answer
    {
        var request = request(.post, address, headers)
        switch format {
        case .page:
            request.headers["Content-Type"] = "application/x-www-form-urlencoded"
            let pairs = values.sorted { $0.key < $1.key }.map {
                QueryItems.encode($0.key) + "=" + QueryItems.encode($0.value)
            }
            request.body = Array(pairs.joined(separator: "&").utf8)
        case .json:
            request.headers["Content-Type"] = "application/json"
            request.body = try JSONCoding.encode(JSONValue.object(values.mapValues { .string($0) }))
        }
        return await send(request)
    }

    /// Submits a form whose names may be repeated.
    func post(_ address: String, form fields: [(String, String)]) async -> Answer {
        var request = request(.post, address, [:])
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        let pairs = fields.map { QueryItems.encode($0.0) + "=" + QueryItems.encode($0.1) }
        request.body = Array(pairs.joined(separator: "&").utf8)
        return await send(request)
    }

    private func request(_ method: HTTP.Method, _ address: String, _ headers: HTTP.Headers) -> HTTP.Request {
        var path = address
        if address.hasPrefix(SelfServiceServer.url) {
            path = String(address.dropFirst(SelfServiceServer.url.count))
        } else if !address.hasPrefix("/a/") {
            path = "/a" + address
        }
        let parts = path.split(separator: "?", maxSplits: 1)
        var request = HTTP.Request(
            method,
            String(parts[0]),
            query: parts.count > 1 ? String(parts[1]) : nil,
            headers: headers
        )
        if request.headers["Accept"] == nil {
            request.headers["Accept"] =
                format == .page ? "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8" : "application/json"
        }
        return request
    }

    private func send(_ request: HTTP.Request) async -> Answer {
        var request = request
        let sent = cookies.map { $0.key + "=" + $0.value }.sorted().joined(separator: "; ")
        if !sent.isEmpty { request.headers["Cookie"] = sent }
        let answer = await server.send(request)
        let set = answer.response.headers.all("Set-Cookie")
        fields.withLock { $0 = set }
        for field in set {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            let value = field.contains("Max-Age=0") ? nil : pair.last.map { String($0) }
            jar.withLock { $0[String(pair[0])] = value }
        }
        return answer
    }

    // MARK: Flows

    /// Starts a flow and returns it.
    func start(_ kind: FlowKind, _ query: String = "") async throws -> Answer {
        try await shown(await get(kind.startPath(for: .browser) + query))
    }

    /// Returns the flow that a response contains, or whose page it leads to.
    func shown(_ answer: Answer) async throws -> Answer {
        guard answer.status == 303 else { return answer }
        let (kind, id) = try #require(answer.page, "\(answer.location ?? "no location")")
        return await show(kind, id)
    }

    func show(_ kind: FlowKind, _ id: String) async -> Answer {
        await get(kind.showPath + "?id=" + id)
    }

    /// Submits values to a flow with the token of its form.
    @discardableResult
    func submit(
        _ flow: Answer,
        _ values: [String: String],
        token: String? = nil,
        headers: HTTP.Headers = [:]
    ) async throws -> Answer {
        var values = values
        values["csrf_token"] = token ?? flow.csrfToken
        return try await post(try #require(flow.action), values, headers: headers)
    }

    /// Registers the person with the given number.
    @discardableResult
    func register(_ number: Int = 1, _ query: String = "") async throws -> Answer {
        var values = ["method": "password", "password": SelfServiceServer.password]
        values["traits.email"] = "person\(number)@example.org"
        values["traits.phone"] = "+4670" + String(1_000_000 + number)
        return try await submit(try await start(.registration, query), values)
    }

    /// Logs in with a password.
    @discardableResult
    func login(
        _ number: Int = 1,
        _ query: String = "",
        password: String = SelfServiceServer.password
    ) async throws -> Answer {
        try await submit(try await start(.login, query), Self.credentials(number, password: password))
    }

    static func credentials(
        _ number: Int = 1,
        password: String = SelfServiceServer.password
    ) -> [String: String] {
        ["method": "password", "identifier": "person\(number)@example.org", "password": password]
    }

    /// Recovers the account of the person with the given number, and returns the response to the code.
    @discardableResult
    func recover(_ number: Int = 1, _ query: String = "") async throws -> Answer {
        let mail = "person\(number)@example.org"
        let form = try await start(.recovery, query)
        let sent = try await shown(try await submit(form, ["method": "code", "email": mail]))
        let code = try await server.inbox.code(for: mail).exposed
        return try await submit(sent, ["method": "code", "code": code])
    }
}

extension Answer {
    var location: String? { response.headers["Location"] }

    /// The kind and the id of the flow whose page the response redirects to.
    var page: (FlowKind, String)? {
        guard let location, let mark = location.firstRange(of: "?flow=") else { return nil }
        let name = location[..<mark.lowerBound].split(separator: "/").last ?? ""
        return FlowKind(rawValue: String(name)).map { ($0, String(location[mark.upperBound...])) }
    }

    /// The id of the error that the response redirects to.
    var errorPage: String? {
        let start = SelfServiceServer.url + "/error?id="
        return location.flatMap { location in
            location.hasPrefix(start) ? String(location.dropFirst(start.count).prefix { $0 != "&" }) : nil
        }
    }

    var csrfToken: String { value("csrf_token")?.text ?? "" }

    var action: String? { body["ui"]?["action"]?.text }

    var flowID: String? { body["id"]?.text }

    /// The steps in `continue_with`.
    var steps: [JSONValue] { self["continue_with"]?.elements ?? [] }

    /// The actions of the steps.
    var actions: [String] { steps.compactMap { $0["action"]?.text } }
}
