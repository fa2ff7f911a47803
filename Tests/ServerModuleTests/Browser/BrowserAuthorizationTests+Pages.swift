import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeySelfService

extension BrowserAuthorizationTests {
    // MARK: Extension and expiry

    @Test(arguments: ResponseFormat.allCases)
    func `Only the first form that the browser itself submits makes the request last longer`(
        format: ResponseFormat
    ) async throws {
        let server = try await server()
        try await server.register()
        let browser = TestBrowser(server, as: format)
        let request = try await ask(browser)
        let flow = try await browser.start(.login, request.query)
        server.time.advance(by: .seconds(60))
        try await browser.submit(flow, TestBrowser.credentials(), token: "forged")
        #expect(authorization.extended.isEmpty)
        let wrong = TestBrowser.credentials(password: "wrong-password")
        for _ in 0..<2 {
            try await browser.submit(flow, wrong)
            #expect(authorization.extended == [request.id])
            server.time.advance(by: .seconds(60))
        }
    }

    @Test(arguments: FlowKind.entrances, ResponseFormat.allCases)
    func `A form that has expired is replaced, and keeps the request`(
        kind: FlowKind,
        format: ResponseFormat
    ) async throws {
        let server = try await server()
        let browser = TestBrowser(server, as: format)
        let request = try await ask(browser)
        let flow = try await browser.start(kind, request.query + "&return_to=" + QueryItems.encode(Self.app))
        try await browser.submit(flow, TestBrowser.credentials())
        server.time.advance(by: .seconds(601))
        let id = try #require(flow.flowID)
        let start = SelfServiceServer.url + "/a" + kind.startPath(for: .browser) + request.query
        let expired = await browser.show(kind, id)
        #expect(expired.errorID == .flowExpired)
        #expect(expired["error"]?["details"]?["redirect_to"] == .string(start))
        #expect(expired["error"]?["details"]?["return_to"] == .string(Self.app))
        let page = await browser.get(SelfServiceServer.url + "/\(kind.rawValue)?flow=" + id)
        #expect(page.location == start + "&return_to=" + QueryItems.encode(Self.app))
        let answer = try await browser.submit(flow, TestBrowser.credentials())
        let next =
            format == .page
            ? try await browser.shown(answer)
            : await browser.show(kind, try #require(answer["use_flow_id"]?.text))
        #expect(next.flowID != flow.flowID)
        #expect(next["oauth2_login_challenge"] == .string(request.id.description))
        #expect(next["oauth2_login_request"]?["client"]?["client_id"] == "shop")
    }

    @Test(arguments: FlowKind.entrances)
    func `A page whose request has expired leads to the page about the request`(kind: FlowKind) async throws {
        let server = try await server()
        let browser = TestBrowser(server)
        let request = try await ask(browser)
        let flow = try await browser.start(kind, request.query)
        let address = SelfServiceServer.url + "/\(kind.rawValue)?flow=" + (flow.flowID ?? "")
        #expect(await browser.get(address).status == 200)
        authorization.end(request.id)
        #expect(await browser.get(address).location == request.address)
        let shown = await browser.show(kind, flow.flowID ?? "")
        #expect(shown["oauth2_login_challenge"] == .string(request.id.description))
        #expect(shown["oauth2_login_request"] == nil)
        server.time.advance(by: .seconds(601))
        #expect(await browser.get(address).location == request.address)
    }

    // MARK: Pages

    @Test func `The page of a login names the client, can be cancelled, and passes the request on`()
        async throws
    {
        let visitor = PageVisitor(try await server())
        let request = try await ask(visitor.browser)
        for kind in [FlowKind.login, .registration, .recovery] {
            try await visitor.open("/\(kind.rawValue)" + request.query)
            #expect(visitor.path == "/\(kind.rawValue)")
            #expect(visitor.text.contains("The &lt;Shop&gt;"))
            let refusal = authorization.address(refusing: request.id)
            #expect(visitor.text.contains("formaction=\"\(refusal)\""))
            let others = kind == .login ? ["recovery", "registration"] : ["login"]
            for other in others {
                let link = "\(SelfServiceServer.url)/\(other)?login_challenge=\(request.id)"
                #expect(visitor.text.contains("href=\"\(link)\""))
            }
            #expect(visitor.response.headers["Content-Security-Policy"]?.contains("form-action") == false)
        }
    }

    @Test(
        arguments: [
            ("person1@example.org", "person1@example.org", "person1@example.org", ""),
            ("+46701000001", "+46701000001", "", "+46701000001"), ("anna", "anna", "", ""), ("", "", "", ""),
            ("a\u{202E}b", "", "", ""), ("a\nb", "", "", ""),
            (String(repeating: "a", count: 321), "", "", ""),
            ("\"><script>", "\"><script>", "", ""),
        ] as [(String, String, String, String)]
    )
    func `A hint of the client fills in the identifier and nothing else`(
        hint: String,
        identifier: String,
        email: String,
        phone: String
    ) async throws {
        let server = try await server()
        let browser = TestBrowser(server, as: .json)
        let request = try await ask(browser, hint: hint)
        let login = try await browser.start(.login, request.query)
        #expect(login.value("identifier") == .string(identifier))
        #expect(login.messages.isEmpty)
        let registration = try await browser.start(.registration, request.query)
        #expect(registration.value("traits.email")?.text ?? "" == email)
        #expect(registration.value("traits.phone")?.text ?? "" == phone)
        #expect(server.hasher.work == 0)
        let page = await browser.get(
            SelfServiceServer.url + "/login?flow=" + (login.flowID ?? ""),
            headers: ["Accept": "text/html"]
        )
        #expect(!String(decoding: page.response.body, as: UTF8.self).contains("<script>"))
    }

    @Test func `A hint doesn't replace the user who confirms a login`() async throws {
        let browser = TestBrowser(try await server(), as: .json)
        try await browser.register()
        let request = try await ask(browser, hint: "person2@example.org")
        let flow = try await browser.start(.login, request.query + "&refresh=true")
        #expect(flow.value("identifier") == "")
    }

    @Test func `A page is in the client's languages unless the query names others`() async throws {
        let server = try await server()
        let browser = TestBrowser(server)
        let id = try await authorization.request(by: browser, locales: "xx fi")
        let flow = try await browser.start(.login, "?login_challenge=\(id)")
        let address = SelfServiceServer.url + "/login?flow=" + (flow.flowID ?? "")
        for (query, language) in [("", "fi"), ("&ui_locales=nb", "nb"), ("&ui_locales=xx", "sv")] {
            let page = await browser.get(address + query, headers: ["Accept-Language": "sv"])
            #expect(page.response.headers["Content-Language"] == language)
        }
    }
}
