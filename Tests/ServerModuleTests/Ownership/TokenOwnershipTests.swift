import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Token pairs and account ownership", .onEachDatabase)
struct TokenOwnershipTests {
    private let account: DeviceAccount
    private let key: SigningKey
    private let token: String

    init() async throws {
        account = try await DeviceAccount(schema: "person")
        key = try SigningKey.generate()
        token = try await account.register()
        #expect(try await account.enrol(key, token: token).status == 200)
    }

    private func exchange(_ token: String, _ key: SigningKey) async throws -> TokenBody {
        try await account.send(.exchange(sessionToken: Secret(token)), key: key).pair()
    }

    @Test func `Re-authentication preserves the token family and the certificate`() async throws {
        let before = try await exchange(token, key)
        account.server.time.advance(by: .seconds(1))
        let new = try account.token(try await account.logIn(token: token))
        #expect(new != token)
        #expect(try await exchange(new, key).refreshToken == before.refreshToken)
        // The old token is valid for another minute and belongs to the same family.
        #expect(try await exchange(token, key).refreshToken == before.refreshToken)
        #expect(try await account.send(.refresh(before.refreshToken), key: key).status == 200)
        #expect(try await account.count("SELECT session_id FROM token_families") == 1)
        #expect(try await account.enrol(try SigningKey.generate(), token: new).status == 409)
        #expect(try await account.enrol(key, token: new).status == 200)
    }

    @Test func `A session token that was replaced can't be exchanged after one minute`() async throws {
        let new = try account.token(try await account.logIn(token: token))
        // Exchanging the new token counts as its first use.
        _ = try await exchange(new, key)
        account.server.time.advance(by: .seconds(60))
        let refused = try await account.send(.exchange(sessionToken: Secret(token)), key: key)
        #expect(refused.status == 400)
        #expect(refused.refusal == .invalidRequest)
    }

    @Test func `Claims contain the schema, the login method and the time of the login`() async throws {
        let registered = account.server.time.now
        let first = try DeviceAccount.claims(try await exchange(token, key))
        #expect(first["schema"]?.text == "person")
        #expect(first["acr"]?.text == "aal1")
        #expect(first["amr"] == .array(["pwd"]))
        #expect(first["auth_time"] == .integer(registered.seconds))
        #expect(first["reclaimed_at"] == nil)

        account.server.time.advance(by: .seconds(100))
        let new = try account.token(try await account.logIn(token: token))
        let second = try DeviceAccount.claims(try await exchange(new, key))
        #expect(second["auth_time"] == .integer(account.server.time.now.seconds))
        #expect(second["sid"] == first["sid"])
    }

    @Test func `Claims only contain the methods of the latest login, not those of earlier ones`() async throws
    {
        // The address is proven, so that the code doesn't lead to a takeover.
        let verified = try await account.enter(.verification, with: DeviceAccount.mail, token: token)
        #expect(verified["state"] == "passed_challenge")
        account.server.time.advance(by: SessionSettings().privilegedAge)
        let flow = try await account.begin(.login, "refresh=true", token: token)
        let address = JSONValue.string(DeviceAccount.mail)
        _ = try await account.submit(.login, flow, ["method": "code", "identifier": address], token: token)
        let code = JSONValue.string(try await account.server.code(for: DeviceAccount.mail))
        let answer = try await account.submit(.login, flow, ["method": "code", "code": code], token: token)
        let new = try account.token(answer)
        let claims = try DeviceAccount.claims(try await exchange(new, key))
        #expect(claims["amr"] == .array(["otp"]))
        #expect(claims["auth_time"] == .integer(account.server.time.now.seconds))
        guard case .array(let methods)? = answer["session"]?["authentication_methods"] else {
            Issue.record("no methods: \(answer.body)")
            return
        }
        #expect(methods.compactMap { $0["method"]?.text } == ["password", "code"])
    }

    @Test
    func `Claims show that the user logged in with a code, and when the account was reclaimed`()
        async throws
    {
        // The account isn't confirmed, so the owner of the e-mail address reclaims it.
        let owner = try account.token(try await account.enter(.login, with: DeviceAccount.mail))
        let reclaimed = account.server.time.now
        account.server.time.advance(by: .seconds(10))
        let own = try SigningKey.generate()
        #expect(try await account.enrol(own, token: owner).status == 200)
        let claims = try DeviceAccount.claims(try await exchange(owner, own))
        #expect(claims["amr"] == .array(["otp"]))
        #expect(claims["acr"]?.text == "aal1")
        #expect(claims["auth_time"] == .integer(reclaimed.seconds))
        #expect(claims["reclaimed_at"] == .integer(reclaimed.seconds))
        #expect(claims["schema"]?.text == "person")
    }

    @Test(arguments: ["reclaim", "recovery", "password", "deletion"])
    func `Tokens are rejected once a change to the account has ended their session`(_ change: String)
        async throws
    {
        if change != "reclaim" {
            let verified = try await account.enter(.verification, with: DeviceAccount.mail, token: token)
            #expect(verified["state"] == "passed_challenge")
        }
        let pair = try await exchange(token, key)
        let headers: HTTP.Headers = ["Authorization": "Bearer " + pair.accessToken.exposed]
        func whoami() async -> Int {
            let request = HTTP.Request(.get, "/a" + Route.whoami, headers: headers)
            return await account.server.handler.respond(to: request, from: .inProcess).status
        }
        #expect(await whoami() == 200)
        switch change {
        case "reclaim": _ = try await account.enter(.login, with: DeviceAccount.mail)
        case "recovery": _ = try await account.enter(.recovery, with: DeviceAccount.mail)
        case "deletion":
            #expect(try await account.send(.delete, "/a" + Route.account, token: token).status == 202)
        default:
            let other = try account.token(try await account.logIn())
            let flow = try await account.begin(.settings, token: other)
            let body: [String: JSONValue] = ["method": "password", "password": "fresh-Start-pass-1"]
            #expect(try await account.submit(.settings, flow, body, token: other)["state"] == "success")
        }
        #expect(await whoami() == 401)
        #expect(try await account.send(.refresh(pair.refreshToken), key: key).refusal == .invalidGrant)
        #expect(
            try await account.send(.exchange(sessionToken: Secret(token)), key: key).refusal
                == .invalidRequest
        )
        #expect(try await account.enrol(key, token: token).status == 401)
    }
}
