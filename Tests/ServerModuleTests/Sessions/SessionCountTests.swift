import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Number of sessions per account", .onEachDatabase)
struct SessionCountTests {
    private func account(_ count: Int?) async throws -> ProvenAccount {
        try await ProvenAccount { $0.sessions.perAccount = count }
    }

    private func alive(_ tokens: [String], on server: SelfServiceServer) async -> [Bool] {
        var alive: [Bool] = []
        for token in tokens { alive.append(await server.isAlive(token)) }
        return alive
    }

    @Test func `A login beyond the limit ends the session with the oldest login`() async throws {
        let account = try await account(3)
        let server = account.server
        var tokens = [account.token]
        for _ in 1...2 {
            server.time.advance(by: .seconds(60))
            tokens.append(try await account.logIn())
        }
        #expect(await alive(tokens, on: server) == [true, true, true])
        let followed = try await server.follow(tokens[0])
        server.time.advance(by: .seconds(60))
        tokens.append(try await account.open(.login, with: ProvenAccount.mail))

        #expect(await alive(tokens, on: server) == [false, true, true, true])
        await followed.expect(["state", "session_ended"])
        #expect(try await server.actions(of: account.id).count { $0 == .sessionDisplaced } == 1)
    }

    @Test func `A re-authentication makes a session the newest and displaces none`() async throws {
        let account = try await account(2)
        let server = account.server
        server.time.advance(by: .seconds(60))
        let second = try await account.logIn()
        server.time.advance(by: .seconds(60))
        let first = try await account.authenticateAgain(account.token)
        #expect(await alive([first, second], on: server) == [true, true])
        server.time.advance(by: .seconds(60))
        let third = try await account.logIn()

        #expect(await alive([first, second, third], on: server) == [true, false, true])
    }

    @Test func `Other accounts and ended sessions don't count`() async throws {
        let account = try await account(2)
        let server = account.server
        let other = try #require(try await server.register(2)["session_token"]?.text)
        for _ in 1...3 {
            let token = try await account.logIn()
            #expect(try await server.logOut(token).status == 204)
        }
        let last = try await account.logIn()

        #expect(await alive([account.token, last, other], on: server) == [true, true, true])
    }

    @Test func `Without a limit, no session ends`() async throws {
        let account = try await account(nil)
        var tokens = [account.token]
        for _ in 1...20 { tokens.append(try await account.logIn()) }

        #expect(await alive(tokens, on: account.server).allSatisfy { $0 })
    }

    @Test func `Concurrent logins never leave more sessions than allowed`() async throws {
        let account = try await account(2)
        let server = account.server
        let tokens = await withTaskGroup(of: String?.self) { group in
            for _ in 1...8 {
                group.addTask { try? await server.login(ProvenAccount.mail)["session_token"]?.text }
            }
            return await group.reduce(into: [String]()) { $0 += [$1].compactMap { $0 } }
        }
        // A busy machine may reject some of the logins.
        #expect(tokens.count > 1)

        #expect(await alive([account.token] + tokens, on: server).count { $0 } == 2)
    }

    @Test func `A login whose device isn't enrolled doesn't end other devices`() async throws {
        let account = try await DeviceAccount { $0.sessions.perAccount = 2 }
        func enrolled(_ token: String) async throws -> String {
            let key = try SigningKey.generate()
            #expect(try await account.enrol(key, token: token).status == 200)
            // Renewing a certificate displaces no session.
            #expect(try await account.enrol(key, token: token).status == 200)
            return token
        }
        func login() async throws -> String {
            account.server.time.advance(by: .seconds(60))
            return try account.token(try await account.logIn())
        }
        let first = try await enrolled(account.register())
        for _ in 1...4 { _ = try await login() }
        #expect(try await account.isAlive(first))
        // Devices that wait for their certificates only displace each other.
        let waiting: SQL = "SELECT id FROM sessions WHERE needs_certificate = 1 AND revoked_at IS NULL"
        #expect(try await account.count(waiting) == 2)
        let second = try await enrolled(login())
        #expect(try await account.isAlive(first))
        #expect(try await account.isAlive(second))
        let third = try await enrolled(login())

        #expect(try await !account.isAlive(first))
        #expect(try await account.isAlive(second))
        #expect(try await account.isAlive(third))
        #expect(try await account.events().count { $0.action == .sessionDisplaced } >= 1)
        await account.server.stop()
    }
}
