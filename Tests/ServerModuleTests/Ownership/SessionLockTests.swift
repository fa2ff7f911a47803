import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Sessions that end during a request", .onEachDatabase)
struct SessionLockTests {
    /// The ways in which a session can end while one of its requests is being processed.
    enum End: CaseIterable, Sendable {
        case logout, otherSession, recovery, disabling
    }

    private func end(_ end: End, _ account: ProvenAccount, _ token: String) async throws {
        switch end {
        case .logout:
            #expect(try await account.server.logOut(token).status == 204)
        case .otherSession:
            #expect(await account.server.delete("/sessions", token: try await account.logIn()).status == 200)
        case .recovery:
            _ = try await account.open(.recovery, with: ProvenAccount.mail)
        case .disabling:
            let body = #"[{"op": "replace", "path": "/state", "value": "inactive"}]"#
            #expect(await account.operate(.patch, "", body).status == 200)
        }
    }

    @Test(arguments: End.allCases)
    func `A password change is rejected if the session ends while the password is hashed`(
        _ end: End
    )
        async throws
    {
        let account = try await ProvenAccount()
        let hash = try await hash(account)
        let node = RacingServer(account.server, at: .hashing) {
            try await self.end(end, account, account.token)
        }
        let flow = await account.server.begin(.settings, token: account.token)
        let body = JSONValue.object(["method": "password", "password": .string(ProvenAccount.newPassword)])
        let answer = try await node.submit(.settings, flow, body, token: account.token)
        #expect(answer.status == 401)
        #expect(answer.errorID == .sessionInactive)
        #expect(try await self.hash(account) == hash)
        #expect(try await account.server.recipients(of: .passwordChanged).isEmpty)
        #expect(try await !account.server.actions(of: account.id).contains(.passwordChanged))
    }

    @Test(arguments: End.allCases)
    func `An address change is rejected if the session ends during the request`(_ end: End)
        async throws
    {
        let account = try await ProvenAccount()
        let node = RacingServer(account.server, at: .transaction(1)) {
            try await self.end(end, account, account.token)
        }
        let flow = await account.server.begin(.settings, token: account.token)
        let traits = ProvenAccount.traits(mail: ProvenAccount.newMail)
        let body = JSONValue.object(["method": "profile", "traits": .object(traits)])
        let answer = try await node.submit(.settings, flow, body, token: account.token)
        #expect(answer.status == 401)
        #expect(answer.errorID == .sessionInactive)
        #expect(try await Set(account.identity().identifiers) == [ProvenAccount.mail, ProvenAccount.phone])
        #expect(try await account.server.recipients(of: .addressChanged).isEmpty)
    }

    @Test func `A verification doesn't confirm the account if its session ends during the request`()
        async throws
    {
        let account = try await ProvenAccount(proving: [])
        let flow = try await account.server.requestCode(
            .verification,
            to: ProvenAccount.mail,
            token: account.token
        )
        let code = JSONValue.string(try await account.server.code(for: ProvenAccount.mail))
        let node = RacingServer(account.server, at: .transaction(1)) {
            try await self.end(.logout, account, account.token)
        }
        let body = JSONValue.object(["method": "code", "code": code])
        let answer = try await node.submit(.verification, flow, body, token: account.token)
        #expect(answer["state"] == "passed_challenge")
        #expect(try await account.identity().confirmedAt == nil)
    }

    @Test
    func `A code for re-authentication doesn't confirm an unverified address if the session ends`()
        async throws
    {
        // The phone number isn't verified, so its code is rejected without a session (row 5 of the table).
        let account = try await ProvenAccount(proving: [ProvenAccount.mail])
        let flow = try await account.server.requestCode(
            .login,
            to: ProvenAccount.phone,
            token: account.token,
            refresh: true
        )
        let code = JSONValue.string(try await account.server.code(for: ProvenAccount.phone))
        let node = RacingServer(account.server, at: .transaction(1)) {
            try await self.end(.logout, account, account.token)
        }
        let body = JSONValue.object(["method": "code", "code": code])
        let answer = try await node.submit(.login, flow, body, token: account.token)
        #expect(answer.status != 200)
        #expect(try await account.identity().provenAddresses.map(\.value) == [ProvenAccount.mail])
    }

    @Test(arguments: [End.logout, .otherSession])
    func `A re-authentication creates a new session if the old one has ended`(_ end: End) async throws {
        let account = try await ProvenAccount()
        let session = await account.server.get("/sessions/whoami", token: account.token)["id"]
        let node = RacingServer(account.server, at: .transaction(2)) {
            try await self.end(end, account, account.token)
        }
        let flow = await account.server.begin(.login, "?refresh=true", token: account.token)
        let body = JSONValue.object([
            "method": "password", "identifier": .string(ProvenAccount.mail),
            "password": .string(SelfServiceServer.password),
        ])
        let answer = try await node.submit(.login, flow, body, token: account.token)
        #expect(answer.status == 200)
        let token = try #require(answer["session_token"]?.text)
        #expect(await !account.server.isAlive(account.token))
        #expect(await account.server.isAlive(token))
        #expect(answer["session"]?["id"] != session)
    }

    @Test func `Ending the other sessions fails if the caller's own session ends first`() async throws {
        let account = try await ProvenAccount()
        let owner = try await account.logIn()
        let node = RacingServer(account.server, at: .transaction(1)) {
            try await self.end(.logout, account, account.token)
        }
        let answer = try await node.send(.delete, "/sessions", token: account.token)
        #expect(answer.status == 401)
        #expect(await account.server.isAlive(owner))
    }

    @Test func `A session of a disabled account changes nothing, even if it hasn't been revoked`()
        async throws
    {
        let account = try await ProvenAccount()
        _ = try await account.logIn()
        let node = RacingServer(account.server, at: .transaction(1)) {
            // The operator's own route would also end the sessions.
            try await account.server.resources.database.transaction { transaction in
                _ = try transaction.execute("UPDATE identities SET state = 'inactive'")
            }
        }
        let answer = try await node.send(.delete, "/sessions", token: account.token)
        #expect(answer.status == 401)
        let ended: SQL = "SELECT 1 FROM sessions WHERE revoked_at IS NOT NULL"
        #expect(try await account.server.resources.database.rows(ended).isEmpty)
    }

    private func hash(_ account: ProvenAccount) async throws -> String? {
        try await account.server.resources.database.rows("SELECT hash FROM passwords").first?.text(0)
    }
}
