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

@Suite("Users deleting their own account", .onEachDatabase)
struct AccountDeletionTests {
    private static let week: Duration = .seconds(7 * 86_400)
    private static let disabling = #"[{"op": "replace", "path": "/state", "value": "inactive"}]"#
    private static let enabling = #"[{"op": "replace", "path": "/state", "value": "active"}]"#

    /// Asks for the account to be deleted and returns the response.
    private func delete(_ account: ProvenAccount, token: String? = nil) async -> Answer {
        await account.server.delete("/account", token: token ?? account.token)
    }

    /// Creates an account whose owner has asked for it to be deleted.
    private func deletedAccount(_ change: (inout ServerConfiguration) -> Void = { _ in }) async throws
        -> ProvenAccount
    {
        let account = try await ProvenAccount(change)
        try #require(await delete(account).status == 202)
        return account
    }

    /// Erases all accounts that are due and returns how many there were.
    private func erase(_ account: ProvenAccount) async throws -> Int {
        await account.server.messagesAreSent()
        return try await eraseAtOnce(account)
    }

    /// Erases accounts whose messages have been sent.
    private func eraseAtOnce(_ account: ProvenAccount) async throws -> Int {
        let server = account.server
        return try await server.assembly.accounts.erasure
            .eraseDeleted(at: server.time.now, atMost: 10, in: server.resources.database)
    }

    private func exists(_ account: ProvenAccount) async throws -> Bool {
        try await account.server.resources.database.transaction { transaction in
            try IdentityRepository.exists(account.id, in: transaction)
        }
    }

    // MARK: Request

    @Test func `Deleting an account ends all access, notifies the owner and returns the erasure date`()
        async throws
    {
        let account = try await ProvenAccount()
        let server = account.server
        let other = try await account.logIn()
        let flow = try await server.requestCode(.login, to: ProvenAccount.mail)
        let code = try await server.code(for: ProvenAccount.mail)
        let settings = await server.begin(.settings, token: account.token)

        let answer = await delete(account)

        #expect(answer.status == 202)
        let body = try JSONCoding.decode(AccountDeletionBody.self, from: answer.response.body)
        #expect(Timestamp(rfc3339: body.deletionAt) == server.time.now + Self.week)
        #expect(await !server.isAlive(account.token))
        #expect(await !server.isAlive(other))
        #expect(try await account.identity().state == .active)
        let entered = try await server.submitCode(.login, flow, ["code": .string(code)])
        #expect(entered.status != 200 && entered.sessionToken == nil)
        let open: SQL = "SELECT id FROM flows WHERE identity_id = $1 AND completed_at IS NULL"
        let left = try await server.resources.database.rows(open, .identifier(account.id))
        #expect(left.isEmpty, "\(settings)")
        #expect(
            try await server.recipients(of: .deletionScheduled) == [ProvenAccount.phone, ProvenAccount.mail]
        )
        #expect(try await server.actions(of: account.id).contains(.deletionScheduled))
        await server.messagesAreSent()
        let mail = try #require(server.inbox.messages(for: ProvenAccount.mail).last)
        #expect(mail.body.exposed.contains("7 days"))
    }

    @Test func `A repeated request is rejected because the session has ended`() async throws {
        let account = try await deletedAccount()
        let repeated = await delete(account)
        #expect(repeated.status == 401)
        #expect(repeated.errorID == .sessionInactive)
    }

    @Test func `Deleting an account revokes its certificates`() async throws {
        let account = try await ProvenAccount()
        let session = try #require(
            await account.server.get("/sessions/whoami", token: account.token)["id"]?.text
                .flatMap { Identifier($0) }
        )
        let database = account.server.resources.database
        try await database.transaction { transaction in
            _ = try transaction.execute(
                """
                INSERT INTO certificates (serial, session_id, identity_id, key_thumbprint, issued_at, not_after) \
                VALUES ($1, $2, $3, $1, 1, 2)
                """,
                .blob([1]),
                .identifier(session),
                .identifier(account.id)
            )
        }
        #expect(await delete(account).status == 202)
        let valid: SQL = "SELECT serial FROM certificates WHERE revoked_at IS NULL"
        #expect(try await database.rows(valid).isEmpty)
    }

    @Test func `Deleting an account requires a session`() async throws {
        let account = try await ProvenAccount()
        for token in [nil, "lk_st_unknown", "a.b.c"] as [String?] {
            let answer = await account.server.delete("/account", token: token)
            #expect(answer.status == 401)
            #expect(answer.errorID == .sessionInactive)
        }
    }

    @Test func `Deleting an account requires a recent login and the current token`() async throws {
        let account = try await ProvenAccount()
        let current = try await account.authenticateAgain(account.token)
        let replaced = await delete(account)
        #expect(replaced.errorID == .sessionRefreshRequired)

        account.server.time.advance(by: SessionSettings().privilegedAge)
        let late = await delete(account, token: current)
        #expect(late.status == 403)
        #expect(late.errorID == .sessionRefreshRequired)
        #expect(try await account.identity().deletionAt == nil)

        let renewed = try await account.authenticateAgain(current)
        #expect(await delete(account, token: renewed).status == 202)
    }

    @Test(arguments: [FlowKind.login, .recovery])
    func `A code that was sent to a single address isn't enough to delete an account`(_ kind: FlowKind)
        async throws
    {
        let account = try await ProvenAccount()
        let token = try await account.open(kind, with: ProvenAccount.mail)

        let refused = await delete(account, token: token)
        #expect(refused.status == 403)
        #expect(refused.errorID == .anotherProofRequired)
        #expect(try await account.identity().deletionAt == nil)
        #expect(await account.server.isAlive(token))

        let renewed = try await account.authenticateAgain(token)
        #expect(await delete(account, token: renewed).status == 202)
    }

    @Test func `Codes sent to both addresses are accepted in place of the password`() async throws {
        let account = try await ProvenAccount()
        let token = try await account.open(.login, with: ProvenAccount.mail)
        let answer = try await account.server.enter(
            .login,
            with: ProvenAccount.phone,
            token: token,
            refresh: true
        )
        let renewed = try #require(answer.sessionToken, "\(answer.body)")
        #expect(await delete(account, token: renewed).status == 202)
    }

    @Test func `The deletion is rejected if the session ends during the request`() async throws {
        let account = try await ProvenAccount()
        let node = RacingServer(account.server, at: .transaction(2)) {
            let status = try await account.server.logOut(account.token).status
            #expect(status == 204)
        }
        let answer = try await node.send(.delete, "/account", token: account.token)
        #expect(answer.status == 401)
        #expect(try await account.identity().deletionAt == nil)
    }

    @Test func `The deletion is rejected if the token is replaced during the request`() async throws {
        let account = try await ProvenAccount()
        let node = RacingServer(account.server, at: .transaction(2)) {
            _ = try await account.authenticateAgain(account.token)
        }
        let answer = try await node.send(.delete, "/account", token: account.token)
        #expect(answer.errorID == .sessionRefreshRequired)
        #expect(try await account.identity().deletionAt == nil)
    }

    @Test func `Asking for a deletion counts against the limit on account changes`() async throws {
        let account = try await ProvenAccount {
            $0.limits.changesPerAccount = [Rate(1, per: .seconds(3600))]
        }
        let token = try await account.open(.login, with: ProvenAccount.mail)
        #expect(await delete(account, token: token).errorID == .anotherProofRequired)
        let limited = await delete(account)
        #expect(limited.status == 429)
        #expect(limited.response.headers["Retry-After"] != nil)
    }

    @Test func `Operators can see that an account is going to be deleted`() async throws {
        let account = try await ProvenAccount()
        #expect(await account.operate(.get)["deletion_at"] == nil)
        let answer = await delete(account)
        let shown = await account.operate(.get)
        #expect(shown["deletion_at"] == answer["deletion_at"])
        #expect(shown["state"] == "active")
    }

    // MARK: Cancellation

    /// How the owner logs in again.
    enum Entrance: CaseIterable, Sendable {
        case password, code, recovery
    }

    private func enter(_ account: ProvenAccount, by entrance: Entrance) async throws -> String {
        switch entrance {
        case .password: try await account.logIn()
        case .code: try await account.open(.login, with: ProvenAccount.mail)
        case .recovery: try await account.open(.recovery, with: ProvenAccount.mail)
        }
    }

    @Test(arguments: Entrance.allCases)
    func `Logging in cancels the deletion and notifies the owner`(_ entrance: Entrance) async throws {
        let account = try await deletedAccount()
        account.server.time.advance(by: Self.week - .seconds(60))
        let token = try await enter(account, by: entrance)

        #expect(try await account.identity().deletionAt == nil)
        #expect(
            try await account.server.recipients(of: .deletionCancelled) == [
                ProvenAccount.phone, ProvenAccount.mail,
            ]
        )
        #expect(try await account.server.actions(of: account.id).contains(.deletionCancelled))
        account.server.time.advance(by: Self.week)
        #expect(try await erase(account) == 0)
        #expect(await account.server.isAlive(token))
    }

    @Test func `A sign-up that logs in to the existing account cancels the deletion`() async throws {
        let account = try await deletedAccount { $0.registration.existingAccount = .logIn }
        let server = account.server
        await server.messagesAreSent()
        server.time.advance(by: .seconds(31))
        let flow = await server.begin(.registration)
        let traits = JSONValue.object(["email": .string(ProvenAccount.mail), "phone": "+46709000002"])
        _ = try await server.submitCode(.registration, flow, ["traits": traits])
        let code = JSONValue.string(try await server.code(for: ProvenAccount.mail))
        let answer = try await server.submitCode(.registration, flow, ["traits": traits, "code": code])
        #expect(answer["identity"]?["id"]?.text == account.id.description, "\(answer.body)")
        #expect(try await account.identity().deletionAt == nil)
    }

    @Test func `A wrong password or code doesn't cancel the deletion`() async throws {
        let account = try await deletedAccount()
        let server = account.server
        #expect(try await server.login(ProvenAccount.mail, "wrong-Horse-7").status == 400)
        let flow = try await server.requestCode(.login, to: ProvenAccount.mail)
        let code = try await server.code(for: ProvenAccount.mail)
        _ = try await server.submitCode(.login, flow, ["code": SelfServiceServer.wrong(code)])
        #expect(try await account.identity().deletionAt != nil)
    }

    @Test func `Logging in to an account that isn't being deleted doesn't report a cancellation`()
        async throws
    {
        let account = try await ProvenAccount()
        _ = try await account.logIn()
        #expect(try await !account.server.actions(of: account.id).contains(.deletionCancelled))
        #expect(try await account.server.recipients(of: .deletionCancelled).isEmpty)
    }

    @Test func `Trying to log in to a disabled account doesn't cancel the deletion`() async throws {
        let account = try await deletedAccount()
        #expect(await account.operate(.patch, "", Self.disabling).status == 200)

        let answer = try await account.server.login(ProvenAccount.mail)
        #expect(answer.messages == [.identityDisabled])
        #expect(try await account.identity().state == .inactive)
        #expect(try await account.identity().deletionAt != nil)

        account.server.time.advance(by: Self.week)
        #expect(try await erase(account) == 1)
    }

    @Test func `The deletion can be cancelled again once the operator has enabled the account`() async throws
    {
        let account = try await deletedAccount()
        #expect(await account.operate(.patch, "", Self.disabling).status == 200)
        #expect(await account.operate(.patch, "", Self.enabling).status == 200)
        #expect(try await account.identity().deletionAt != nil)
        _ = try await account.logIn()
        #expect(try await account.identity().deletionAt == nil)
        #expect(try await account.identity().state == .active)
    }

    // MARK: Erasure

    @Test func `The account is erased after the delay and its addresses can be used again`() async throws {
        let account = try await deletedAccount()
        account.server.time.advance(by: Self.week - .microseconds(1))
        #expect(try await erase(account) == 0)
        #expect(try await exists(account))

        account.server.time.advance(by: .microseconds(1))
        #expect(try await erase(account) == 1)
        #expect(try await !exists(account))
        #expect(try await erase(account) == 0)
        let events = try await AuditLog.events(
            of: account.id,
            limit: 1,
            in: account.server.resources.database
        )
        #expect(events.first?.action == .deleted)
        #expect(events.first?.actor == .server)
        #expect(events.first?.subject?.hasPrefix("identifiers:") == true)
        for table in ["identities", "sessions", "passwords", "messages"] {
            #expect(try await account.server.count(table) == 0, "\(table)")
        }
        let again = try await account.server.register()
        #expect(again.status == 200)
        // The identifier of an erased account is never given to another one.
        #expect(again["identity"]?["id"]?.text != account.id.description)
    }

    @Test func `The clean-up erases deleted accounts`() async throws {
        let account = try await deletedAccount { $0.accounts.deletionDelay = .seconds(86_400) }
        let server = account.server
        await server.messagesAreSent()
        let cleanUp = server.assembly.cleanUp
        #expect(try await cleanUp.round()?[.accounts] == 0)
        server.time.advance(by: .seconds(86_400))
        #expect(try await cleanUp.round()?[.accounts] == 1)
        #expect(try await !exists(account))
    }

    @Test func `Only one of several concurrent nodes erases an account`() async throws {
        let account = try await deletedAccount()
        account.server.time.advance(by: Self.week)
        // The erasure also deletes messages, so none may be waiting for one.
        await account.server.messagesAreSent()
        let erased = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...4 { group.addTask { try await eraseAtOnce(account) } }
            return try await group.reduce(0, +)
        }
        #expect(erased == 1)
        let actions = try await account.server.actions(of: account.id)
        #expect(actions.count { $0 == .deleted } == 1)
    }

    @Test func `A login fails if the account is erased before the session is stored`() async throws {
        let account = try await deletedAccount()
        account.server.time.advance(by: Self.week)
        let flow = await account.server.begin(.login)
        let node = RacingServer(account.server, at: .transaction(2)) {
            let erased = try await erase(account)
            #expect(erased == 1)
        }
        let answer = try await node.submit(
            .login,
            flow,
            .object([
                "method": "password", "identifier": .string(ProvenAccount.mail),
                "password": .string(SelfServiceServer.password),
            ])
        )
        #expect(answer.messages == [.invalidCredentials])
        #expect(try await account.server.count("sessions") == 0)
    }

    @Test func `An account isn't erased if its owner logs in just before the erasure`()
        async throws
    {
        let account = try await deletedAccount()
        let server = account.server
        await server.messagesAreSent()
        server.time.advance(by: Self.week)
        let database = InterruptedDatabase(server.resources.database, before: 1) {
            _ = try await account.logIn()
        }
        let erased = try await server.assembly.accounts.erasure
            .eraseDeleted(at: server.time.now, atMost: 10, in: database)
        #expect(erased == 0)
        #expect(try await account.identity().state == .active)
    }

    @Test func `An account that can't be read doesn't prevent others from being erased`() async throws {
        let account = try await deletedAccount()
        let server = account.server
        let other = try #require(try await server.register(2)["session_token"]?.text)
        let broken = try #require(try await server.holder(of: "person2@example.org"))
        #expect(await server.delete("/account", token: other).status == 202)
        await server.messagesAreSent()
        try await server.resources.database.transaction { transaction in
            _ = try transaction.execute(
                "UPDATE identities SET deletion_at = deletion_at - 1 WHERE id = $1",
                .identifier(broken)
            )
            _ = try transaction.execute(
                "INSERT INTO address_states (identity_id, via, value, state) VALUES ($1, 'sms', '+1', 'new')",
                .identifier(broken)
            )
        }
        server.time.advance(by: Self.week)
        await #expect(throws: DatabaseError.self) { _ = try await erase(account) }
        #expect(try await !exists(account))
        #expect(try await server.count("identities") == 1)
    }
}
