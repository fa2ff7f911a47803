import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Password settings` {
    @Test func `Changing the password ends all other sessions`() async throws {
        let client = try await SettingsClient()
        let other = try #require(try await client.server.login()["session_token"]?.text)
        let answer = try await client.change(password: "another-Good-pass-9")
        #expect(answer.status == 200)
        #expect(answer.messages == [.settingsSaved])
        #expect(try await client.server.login().messages == [.invalidCredentials])
        #expect(try await client.server.login("person1@example.org", "another-Good-pass-9").status == 200)
        #expect(await client.server.get("/sessions/whoami", token: client.token).status == 200)
        #expect(await client.server.get("/sessions/whoami", token: other).status == 401)
    }

    @Test func `Operators can choose to keep the other sessions`() async throws {
        let client = try await SettingsClient { $0.changes.newPasswordEndsSessions = false }
        let other = try #require(try await client.server.login()["session_token"]?.text)
        _ = try await client.change(password: "another-Good-pass-9")
        #expect(await client.server.get("/sessions/whoami", token: other).status == 200)
    }

    @Test func `An account without a password can set one`() async throws {
        let server = try await SelfServiceServer()
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(.registration, flow, ["traits": SelfServiceServer.traits()])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        let token = try await server.submitCode(.registration, flow, ["code": code])["session_token"]?.text
        let settings = await server.begin(.settings, token: token)
        let body = JSONValue.object(["method": "password", "password": .string(SelfServiceServer.password)])
        #expect(try await server.submit(.settings, settings, body, token: token).status == 200)
        #expect(try await server.login().status == 200)
        await server.messagesAreSent()
        let kinds = server.inbox.messages(for: "person1@example.org").map(\.template)
        #expect(kinds == ["registration_code_valid", "password_changed"])
    }

    @Test func `Only one of several concurrent password changes succeeds`() async throws {
        let client = try await SettingsClient { $0.limits = .unlimited }
        let passwords = (0..<10).map { "another-Good-pass-\($0)" }
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for password in passwords { group.addTask { try await client.change(password: password) } }
            return try await group.reduce(into: [Answer]()) { $0.append($1) }
        }
        #expect(answers.contains { $0.status == 200 })
        #expect(answers.allSatisfy { $0.status == 200 || $0.messages == [.validation] })
        var right = 0
        for password in passwords
        where try await client.server.login("person1@example.org", password).status == 200 { right += 1 }
        #expect(right == 1)
    }

    @Test func `A password isn't saved if another session changed it during hashing`() async throws {
        let client = try await SettingsClient { $0.changes.newPasswordEndsSessions = false }
        let other = try #require(try await client.server.login()["session_token"]?.text)
        let node = RacingServer(client.server, at: .hashing) {
            let answer = try await client.server.change(password: "another-Good-pass-1", token: other)
            #expect(answer.status == 200)
        }
        let body = JSONValue.object(["method": "password", "password": "another-Good-pass-2"])
        let answer = try await node.submit(.settings, client.flow, body, token: client.token)
        #expect(answer.status == 400)
        #expect(answer.messages == [.validation])
        #expect(try await client.server.login("person1@example.org", "another-Good-pass-1").status == 200)
        #expect(try await client.server.login("person1@example.org", "another-Good-pass-2").status == 400)
        #expect(try await client.server.login().status == 400)
    }
}
