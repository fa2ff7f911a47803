import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestContract
import TestDatabases
import Testing

@testable import LatchkeySelfService

/// A browser that keeps cookies and submits the forms that it was shown.
private final class TestBrowser: Sendable {
    private let server: SelfServiceServer
    private let cookies = Locked<[String: String]>([:])

    init(_ server: SelfServiceServer) { self.server = server }

    var cookieNames: Set<String> { Set(cookies.withLock { $0.keys }) }

    func get(_ path: String, accept: String = "application/json") async -> Answer {
        await send(.get, path, nil, accept: accept)
    }

    /// Submits a form with its CSRF token.
    func submit(
        _ form: Answer,
        _ fields: [String: JSONValue],
        csrf: String? = nil
    ) async throws -> Answer {
        let id = try #require(form["id"]?.text)
        let action = try #require(form["ui"]?["action"]?.text?.split(separator: "/").last)
        var fields = fields
        fields["csrf_token"] = .string(csrf ?? form.csrfToken)
        let kind = action.split(separator: "?")[0]
        return await send(.post, "/self-service/\(kind)?flow=\(id)", .object(fields))
    }

    private func send(
        _ method: HTTP.Method,
        _ path: String,
        _ body: JSONValue?,
        accept: String = "application/json"
    ) async -> Answer {
        let parts = path.split(separator: "?", maxSplits: 1)
        var request = HTTP.Request(
            method,
            "/a" + parts[0],
            query: parts.count > 1 ? String(parts[1]) : nil,
            headers: ["Accept": accept]
        )
        let sent = cookies.withLock { $0.map { $0.key + "=" + $0.value }.sorted().joined(separator: "; ") }
        if !sent.isEmpty { request.headers["Cookie"] = sent }
        if let body {
            request.headers["Content-Type"] = "application/json"
            request.body = (try? JSONCoding.encode(body)) ?? []
        }
        let answer = await server.send(request)
        for field in answer.response.headers.all("Set-Cookie") {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            cookies.withLock { $0[String(pair[0])] = String(pair[1]) }
        }
        return answer
    }
}

extension Answer {
    /// The value of the node `csrf_token`.
    fileprivate var csrfToken: String {
        guard case .array(let nodes)? = body["ui"]?["nodes"] else { return "" }
        let node = nodes.first { $0["attributes"]?["name"] == "csrf_token" }
        return node?["attributes"]?["value"]?.text ?? ""
    }

    fileprivate var location: String? { response.headers["Location"] }
}

/// The server with one more responder in its list, and no other change.
@Suite("A responder for browsers", .onEachDatabase)
struct BrowserResponderTests {
    private let server: SelfServiceServer
    private let browser: TestBrowser

    init() async throws {
        server = try await SelfServiceServer(responders: .builtIn + [BrowserResponder.self]) {
            $0.flows.returnURLs = ["https://app.example.com/"]
        }
        browser = TestBrowser(server)
    }

    private static let traits: JSONValue = SelfServiceServer.traits(1)

    @discardableResult
    private func register() async throws -> Answer {
        let form = await browser.get("/self-service/registration/browser")
        return try await browser.submit(
            form,
            ["method": "password", "password": .string(SelfServiceServer.password), "traits": Self.traits]
        )
    }

    @Test func `A registration ends with a session cookie and a redirection`() async throws {
        let form = await browser.get("/self-service/registration/browser")
        #expect(form["type"] == "browser")
        #expect(form["request_url"]?.text?.hasSuffix("/self-service/registration/browser") == true)
        #expect(!form.csrfToken.isEmpty)
        let answer = try await register()
        #expect(answer.status == 303)
        #expect(answer.location == "/welcome")
        #expect(browser.cookieNames == ["csrf_token", "latchkey_session"])
    }

    @Test func `A login returns to the address that the flow was started with`() async throws {
        try await server.register()
        let form = await browser.get(
            "/self-service/login/browser?return_to=https://app.example.com/",
            accept: "text/html"
        )
        let wrong = try await browser.submit(
            form,
            ["method": "password", "identifier": "person1@example.org", "password": "wrong-password"]
        )
        #expect(wrong.status == 400)
        #expect(wrong.csrfToken == form.csrfToken)
        let right = try await browser.submit(
            form,
            [
                "method": "password", "identifier": "person1@example.org",
                "password": .string(SelfServiceServer.password),
            ]
        )
        #expect(right.status == 303)
        #expect(right.location == "https://app.example.com/")
    }

    @Test func `The settings accept the session cookie`() async throws {
        #expect(await browser.get("/self-service/settings/browser").status == 401)
        try await register()
        let form = await browser.get("/self-service/settings/browser")
        #expect(form.status == 200)
        let saved = try await browser.submit(
            form,
            ["method": "password", "password": "another-Horse-8-battery"]
        )
        #expect(saved.status == 200)
        #expect(saved["state"] == "success")
        let id = try #require(form["id"]?.text)
        #expect(await browser.get("/self-service/settings/flows?id=\(id)").status == 200)
    }

    @Test func `A recovery signs in and leads to the settings`() async throws {
        try await server.register()
        let form = await browser.get("/self-service/recovery/browser")
        let sent = try await browser.submit(form, ["method": "code", "email": "person1@example.org"])
        #expect(sent.status == 200)
        let code = try await server.inbox.code(for: "person1@example.org").exposed
        let passed = try await browser.submit(sent, ["method": "code", "code": .string(code)])
        #expect(passed.status == 303)
        #expect(passed.location == "/settings")
        #expect(await browser.get("/self-service/settings/browser").status == 200)
    }

    @Test func `A verification ends with its own form`() async throws {
        try await server.register()
        let form = await browser.get("/self-service/verification/browser")
        // Only the form of the last step of a verification has a CSRF token in Kratos's API for native apps.
        let sent = try await browser.submit(
            form,
            ["method": "code", "email": "person1@example.org"],
            csrf: try await csrfToken()
        )
        #expect(sent.status == 200)
        let code = try await server.inbox.code(for: "person1@example.org").exposed
        let passed = try await browser.submit(
            sent,
            ["method": "code", "code": .string(code)],
            csrf: try await csrfToken()
        )
        #expect(passed["state"] == "passed_challenge")
    }

    /// Returns the CSRF token of this browser.
    private func csrfToken() async throws -> String {
        await browser.get("/self-service/login/browser").csrfToken
    }

    @Test(arguments: ["", "forged"])
    func `A form without the browser's CSRF token is rejected`(token: String) async throws {
        let form = await browser.get("/self-service/login/browser")
        let answer = try await browser.submit(
            form,
            ["method": "password", "identifier": "a", "password": "b"],
            csrf: token
        )
        #expect(answer.status == 403)
        #expect(answer["error"]?["id"] == "security_csrf_violation")
    }

    @Test func `A native client can't submit to a browser's flow, and a browser not to a native client's`()
        async throws
    {
        let form = await browser.get("/self-service/login/browser")
        let id = try #require(form["id"]?.text)
        let native = try await server.submit(.login, id, .object(["method": "password"]))
        #expect(native.status == 403)
        let other = await server.get("/self-service/login/api")
        let refused = try await browser.submit(other, ["method": "password"])
        #expect(refused.status == 400)
        #expect(refused.messages == [.validation])
    }

    @Test func `Errors are pages for browsers, and are reported as usual`() async throws {
        let unknown = Identifier(random: SystemRandom())
        let page = await browser.get("/self-service/login/flows?id=\(unknown)", accept: "text/html")
        #expect(page.status == 303)
        #expect(page.location == "/error?status=404")
        let json = await browser.get("/self-service/login/flows?id=\(unknown)")
        #expect(json.status == 404)
    }

    @Test func `An error about a flow is reported the way its type of client expects`() async throws {
        let native = await server.get("/self-service/login/api")
        let id = try #require(native["id"]?.text)
        // Apart from the flow, the request looks like one of a browser.
        var request = HTTP.Request(
            .post,
            "/a/self-service/login",
            query: "flow=" + id,
            headers: ["Content-Type": "application/json", "Accept": "text/html"]
        )
        request.body = Array(#"{"method": "oidc"}"#.utf8)
        let answer = await server.send(request)
        #expect(answer.status == 404)
        #expect(answer.location == nil)
        #expect(answer["error"] != nil)
    }

    @Test func `The id of a flow is only valid for its type`() async throws {
        let form = await browser.get("/self-service/login/browser")
        let id = try #require(form["id"]?.text)
        let native = try await SelfServiceServer(over: server.resources.database)
        #expect(await native.get("/self-service/login/flows?id=\(id)").status == 404)
        #expect(await browser.get("/self-service/login/flows?id=\(id)")["type"] == "browser")
    }

    @Test func `A session cookie doesn't identify the user to routes for native clients`() async throws {
        try await register()
        #expect(await browser.get("/sessions/whoami").status == 401)
    }
}
