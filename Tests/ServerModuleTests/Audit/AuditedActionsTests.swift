import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Audit events for user actions` {
    private let server: SelfServiceServer

    init() async throws {
        server = try await SelfServiceServer()
    }

    private func events(_ registered: Answer) async throws -> [AuditEvent] {
        let id = try #require(registered["identity"]?["id"]?.text.flatMap { Identifier($0) })
        return try await AuditLog.events(of: id, limit: 100, in: server.resources.database)
    }

    @Test func `Events contain the client's address`() async throws {
        let registered = try await server.register()
        #expect(try await server.login(from: "192.0.2.44").status == 200)
        let events = try await events(registered)

        #expect(Set(events.map(\.action)) == [.created, .loggedIn])
        let entry = try #require(events.first { $0.action == .loggedIn })
        #expect(entry.actor == .user)
        #expect(entry.address == "192.0.2.44")
        #expect(entry.subject == "password")
    }

    @Test func `A failed action is recorded as a failure and not as a success`() async throws {
        let registered = try await server.register()
        _ = try await server.login("person1@example.org", "wrong-Horse-7-battery")
        _ = try await server.register()

        #expect(try await Set(events(registered).map(\.action)) == [.loginFailed, .created])
    }

    @Test(arguments: ["password", "profile"])
    func `A password change and a trait change are recorded as different actions`(method: String) async throws
    {
        let registered = try await server.register()
        let token = registered["session_token"]?.text
        let body: JSONValue =
            method == "password"
            ? .object(["method": "password", "password": "fresh-Start-pass-1"])
            : .object([
                "method": "profile",
                "traits": .object(["email": "other@example.org", "phone": "+46701000001"]),
            ])
        let answer = try await server.submit(
            .settings,
            await server.begin(.settings, token: token),
            body,
            token: token
        )
        #expect(answer.status == 200)

        let action: AuditAction = method == "password" ? .passwordChanged : .traitsChanged
        #expect(try await events(registered).map(\.action).contains(action))
    }

    @Test func `Ending a session twice is recorded only once`() async throws {
        let registered = try await server.register()
        let body = JSONValue.object(["session_token": registered["session_token"] ?? .null])
        for _ in 0..<2 {
            #expect(try await server.delete("/self-service/logout/api", body).status == 204)
        }

        let ends = try await events(registered).filter { $0.action == .loggedOut }
        #expect(ends.map(\.subject) == [registered["session"]?["id"]?.text])
        #expect(ends.allSatisfy { $0.actor == .user && $0.address != nil })
    }

    @Test func `Recoveries and verifications are recorded`() async throws {
        let registered = try await server.register()
        for kind in [FlowKind.verification, .recovery] {
            let flow = await server.begin(kind)
            _ = try await server.submitCode(kind, flow, ["email": "person1@example.org"])
            // If we advanced the clock while a message is pending, its delivery would be abandoned until the
            // lease ends.
            await server.messagesAreSent()
            server.time.advance(by: .seconds(60))
            let code = JSONValue.string(try await server.code(for: "person1@example.org"))
            _ = try await server.submitCode(kind, flow, ["code": code])
        }

        let actions = try await events(registered).map(\.action)
        #expect(Set(actions) == [.created, .addressVerified, .accountReclaimed, .recovered])
    }
}
