import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Re-authentication", .onEachDatabase)
struct ReauthenticationTests {
    private let account: ProvenAccount
    private var server: SelfServiceServer { account.server }

    init() async throws {
        account = try await ProvenAccount()
    }

    private func sessionID(_ token: String) async -> String? {
        await server.get("/sessions/whoami", token: token)["id"]?.text
    }

    @Test(arguments: ["password", "code"])
    func `Re-authentication returns a new token for the same session`(_ method: String) async throws {
        let id = await sessionID(account.token)
        let new: String
        if method == "password" {
            new = try await account.authenticateAgain(account.token)
        } else {
            let phone = ProvenAccount.phone
            let answer = try await server.enter(.login, with: phone, token: account.token, refresh: true)
            new = try #require(answer["session_token"]?.text)
        }
        #expect(new != account.token)
        #expect(await sessionID(new) == id)
        #expect(await sessionID(account.token) == id)
        #expect(try await server.count("sessions") == 1)
    }

    @Test func `The old token stays valid until a minute after the new one is first used`() async throws {
        let new = try await account.authenticateAgain(account.token)
        for _ in 1...3 {
            server.time.advance(by: .seconds(3600))
            #expect(await server.isAlive(account.token))
        }
        #expect(await server.isAlive(new))
        server.time.advance(by: .seconds(60) - .microseconds(1))
        #expect(await server.isAlive(account.token))
        // Using the new token again doesn't extend the minute.
        #expect(await server.isAlive(new))
        server.time.advance(by: .microseconds(1))
        #expect(await !server.isAlive(account.token))
        #expect(await server.isAlive(new))
    }

    @Test(arguments: [nil, 0, 59] as [Int?])
    func `The old token can be used to log out while it is valid`(_ seconds: Int?) async throws {
        let new = try await account.authenticateAgain(account.token)
        if let seconds {
            #expect(await server.isAlive(new))
            server.time.advance(by: .seconds(seconds))
        }
        #expect(try await server.logOut(account.token).status == 204)
        #expect(await !server.isAlive(new))
        #expect(try await server.logOut(account.token).status == 204)
    }

    @Test func `Logging out with an old token that has expired succeeds but doesn't end the session`()
        async throws
    {
        let new = try await account.authenticateAgain(account.token)
        #expect(await server.isAlive(new))
        server.time.advance(by: .seconds(60))
        #expect(try await server.logOut(account.token).status == 204)
        #expect(await server.isAlive(new))
    }

    @Test func `The old token doesn't become privileged`() async throws {
        let new = try await account.authenticateAgain(account.token)
        let traits = ProvenAccount.traits(mail: ProvenAccount.newMail)
        for answer in [
            try await server.change(password: ProvenAccount.newPassword, token: account.token),
            try await server.change(traits: traits, token: account.token),
        ] {
            #expect(answer.status == 403)
            #expect(answer.errorID == .sessionRefreshRequired)
        }
        #expect(try await Set(account.identity().identifiers) == [ProvenAccount.mail, ProvenAccount.phone])
        #expect(try await server.login(ProvenAccount.mail).status == 200)
        #expect(try await server.change(traits: traits, token: new)["state"] == "success")
    }

    @Test func `Re-authentication can be repeated with the oldest token if the response was lost`()
        async throws
    {
        let id = await sessionID(account.token)
        let lost = try await account.authenticateAgain(account.token)
        let second = try await account.authenticateAgain(account.token)
        #expect(Set([account.token, lost, second]).count == 3)
        #expect(await sessionID(second) == id)
        server.time.advance(by: .seconds(60))
        for token in [account.token, lost] { #expect(await !server.isAlive(token)) }
        #expect(await server.isAlive(second))
        #expect(
            try await server.change(password: ProvenAccount.newPassword, token: second)["state"] == "success"
        )
    }

    @Test func `Re-authenticating again with a replaced token doesn't extend that token's validity`()
        async throws
    {
        let second = try await account.authenticateAgain(account.token)
        #expect(await server.isAlive(second))
        server.time.advance(by: .seconds(30))
        let third = try await account.authenticateAgain(account.token)
        server.time.advance(by: .seconds(30))
        #expect(await !server.isAlive(account.token))
        // The third token hasn't been used yet, so the second one is still valid.
        #expect(await server.isAlive(second))
        #expect(await server.isAlive(third))
        server.time.advance(by: .seconds(60))
        #expect(await !server.isAlive(second))
    }

    @Test func `A wrong password doesn't replace the token`() async throws {
        let flow = await server.begin(.login, "?refresh=true", token: account.token)
        let body = JSONValue.object([
            "method": "password", "identifier": .string(ProvenAccount.mail), "password": "wrong-Horse-7",
        ])
        #expect(try await server.submit(.login, flow, body, token: account.token).status == 400)
        server.time.advance(by: .seconds(120))
        #expect(await server.isAlive(account.token))
    }
}
