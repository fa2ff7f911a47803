import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Requiring a verified address to log in` {
    private func server(_ rule: VerifiedAddressRule) async throws -> SelfServiceServer {
        let server = try await SelfServiceServer { $0.login.verifiedAddress = rule }
        try await server.register()
        return server
    }

    @Test func `The login succeeds after the user has entered a code that is sent to the address`()
        async throws
    {
        let server = try await server(.required)
        let login = await server.begin(.login)
        let body = JSONValue.object([
            "method": "password", "identifier": "person1@example.org",
            "password": .string(SelfServiceServer.password),
        ])
        let refused = try await server.submit(.login, login, body)
        #expect(refused.status == 403)
        #expect(refused.errorID == .verifiedAddressRequired)
        #expect(refused["error"]?["code"] == .integer(400))
        #expect(refused["session_token"] == nil)
        let next = try #require(refused["error"]?["details"]?["continue_with"]?.elements)
        #expect(next.map { $0["action"]?.text } == ["show_verification_ui"])
        #expect(next.map { $0["flow"]?["verifiable_address"]?.text } == ["person1@example.org"])

        let verification = try #require(next.first?["flow"]?["id"]?.text)
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        let verified = try await server.submitCode(.verification, verification, ["code": code])
        #expect(verified["state"] == "passed_challenge")

        #expect(try await server.submit(.login, login, body).status == 200)
    }

    @Test(arguments: [("user@example.com", "correct-Horse-7"), ("+439999999999", "271501")])
    func `Accounts that were added to a test server can log in`(_ identifier: String, _ password: String)
        async throws
    {
        var configuration = TestServer.configuration()
        configuration.login.verifiedAddress = .required
        let server = try await TestServer(configuration: configuration)
        try await server.addBusinessUser(email: "user@example.com", password: "correct-Horse-7")
        try await server.addCustomer(phone: "+439999999999", passcode: "271501")
        let client = SignUpClient(server)
        let flow = try await client.send(.get, "/a" + Route.loginInit).decoded(FlowBody.self).id
        let body = JSONValue.object([
            "method": "password", "identifier": .string(identifier), "password": .string(password),
        ])
        let login = try await client.send(
            .post,
            "/a" + Route.login,
            query: "flow=\(flow)",
            body: JSONCoding.encode(body)
        )
        #expect(login.status == 200)
    }

    @Test func `An unverified address is rejected even if another one is verified`() async throws {
        let server = try await server(.required)
        let flow = await server.begin(.verification)
        _ = try await server.submitCode(.verification, flow, ["email": "+46701000001"])
        let code = JSONValue.string(try await server.code(for: "+46701000001"))
        _ = try await server.submitCode(.verification, flow, ["code": code])
        #expect(try await server.login("+46701000001").status == 200)
        #expect(try await server.login("person1@example.org").status == 403)
    }

    @Test func `Operators can choose to show the rejection in the form`() async throws {
        let server = try await server(.requiredInForm)
        let refused = try await server.login()
        #expect(refused.status == 400)
        #expect(refused.messages == [.addressNotVerified])
        await server.messagesAreSent()
        #expect(server.inbox.messages(for: "person1@example.org").isEmpty)
    }

    @Test func `Logging in with a code also verifies the address`() async throws {
        let server = try await server(.required)
        let flow = await server.begin(.login)
        _ = try await server.submitCode(.login, flow, ["identifier": "person1@example.org"])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        let members = ["identifier": "person1@example.org", "code": code]
        let answer = try await server.submitCode(.login, flow, members)
        #expect(answer.status == 200)
        guard case .array(let addresses)? = answer["session"]?["identity"]?["verifiable_addresses"] else {
            Issue.record("no addresses")
            return
        }
        #expect(addresses.first { $0["value"] == "person1@example.org" }?["verified"] == .bool(true))
    }

    @Test(arguments: [VerifiedAddressRule.required, .requiredInForm])
    func `The state of an address is revealed only if the password is correct`(_ rule: VerifiedAddressRule)
        async throws
    {
        let server = try await server(rule)
        let wrong = try await server.login("person1@example.org", "another-Horse-7")
        let unknown = try await server.login("person2@example.org", "another-Horse-7")
        #expect(wrong.messages == [.invalidCredentials])
        #expect(unknown.messages == [.invalidCredentials])
    }

    @Test func `Repeated rejections don't count as failures, and only one code is sent`() async throws {
        let server = try await server(.required)
        for _ in 0..<10 { #expect(try await server.login().status == 403) }
        #expect(try await server.login()["error"]?["details"] == nil)
        await server.messagesAreSent()
        #expect(server.inbox.messages(for: "person1@example.org").count == 1)
    }

    @Test func `Verified addresses aren't required by default`() async throws {
        #expect(try await server(.optional).login().status == 200)
    }
}
