import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Changes that end sessions", .onEachDatabase)
struct SessionEndTests {
    @Test func `A recovery ends all sessions except the one that it creates`() async throws {
        let account = try await ProvenAccount()
        let others = [account.token, try await account.logIn()]
        let token = try await account.open(.recovery, with: ProvenAccount.mail)
        #expect(await account.server.isAlive(token))
        for other in others { #expect(await !account.server.isAlive(other)) }
    }

    @Test func `A recovery with an operator's code ends all other sessions`() async throws {
        let account = try await ProvenAccount()
        let others = [account.token, try await account.logIn()]
        let token = try await account.openWithOperatorCode()
        #expect(await account.server.isAlive(token))
        for other in others { #expect(await !account.server.isAlive(other)) }
    }

    @Test func `Changing the password in the settings ends all sessions except the caller's`() async throws {
        let account = try await ProvenAccount()
        let others = [try await account.logIn(), try await account.open(.login, with: ProvenAccount.phone)]
        let answer = try await account.server.change(
            password: ProvenAccount.newPassword,
            token: account.token
        )
        #expect(answer["state"] == "success")
        #expect(await account.server.isAlive(account.token))
        for other in others { #expect(await !account.server.isAlive(other)) }
    }

    @Test func `Changing the password also invalidates a token that re-authentication has replaced`()
        async throws
    {
        let account = try await ProvenAccount()
        let old = try await account.logIn()
        _ = try await account.authenticateAgain(old)
        _ = try await account.server.change(password: ProvenAccount.newPassword, token: account.token)
        #expect(await !account.server.isAlive(old))
    }

    @Test(arguments: ["password", "removal", "disabling"])
    func `All sessions end when the operator changes the password or the state`(_ change: String)
        async throws
    {
        let account = try await ProvenAccount()
        let tokens = [account.token, try await account.logIn()]
        switch change {
        case "password":
            let body = AdminServer.body(1, AdminServer.password)
            #expect(await account.operate(.put, "", body).status == 200)
        case "removal":
            #expect(await account.operate(.delete, "/credentials/password").status == 204)
        default:
            // Enabling the account again must not restore its sessions.
            for state in ["inactive", "active"] {
                let body = #"[{"op": "replace", "path": "/state", "value": "\#(state)"}]"#
                #expect(await account.operate(.patch, "", body).status == 200)
            }
        }
        for token in tokens { #expect(await !account.server.isAlive(token)) }
    }

    @Test func `Sessions stay active when an operator changes traits`() async throws {
        let account = try await ProvenAccount()
        let body = #"[{"op": "replace", "path": "/traits/email", "value": "new@example.org"}]"#
        #expect(await account.operate(.patch, "", body).status == 200)
        #expect(await account.server.isAlive(account.token))
    }
}

@Suite("Known networks of an account", .onEachDatabase)
struct KnownNetworkTests {
    private func count(_ server: SelfServiceServer) async throws -> Int {
        try await server.resources.database.rows("SELECT network FROM known_networks").count
    }

    @Test func `At most five networks are known, and the least recently used one is forgotten first`()
        async throws
    {
        let account = try await ProvenAccount()
        for number in 1...5 {
            account.server.time.advance(by: .seconds(1))
            let login = try await account.server.login(ProvenAccount.mail, from: "198.51.\(number).1")
            #expect(login.status == 200)
        }
        #expect(try await count(account.server) == 5)
        try await lock(account)
        // The network that was used to register is the least recently used of six, so it is no longer known.
        #expect(try await account.server.login(ProvenAccount.mail, from: "192.0.2.1").status == 429)
        #expect(try await account.server.login(ProvenAccount.mail, from: "198.51.1.1").status == 200)
    }

    @Test(arguments: ["password", "addresses", "recovery", "operator's password", "release"])
    func `After a change to an account, the server no longer remembers its known networks`(_ change: String)
        async throws
    {
        let account = try await ProvenAccount()
        let server = account.server
        #expect(try await server.login(ProvenAccount.mail, from: "198.51.100.7").status == 200)
        #expect(try await count(server) == 2)
        let isByOperator = change == "operator's password" || change == "release"
        switch change {
        case "password":
            _ = try await server.change(password: ProvenAccount.newPassword, token: account.token)
        case "addresses":
            let traits = ProvenAccount.traits(phone: ProvenAccount.newPhone)
            _ = try await server.change(traits: traits, token: account.token)
        case "recovery": _ = try await account.open(.recovery, with: ProvenAccount.mail)
        case "operator's password":
            _ = await account.operate(.put, "", AdminServer.body(1, AdminServer.password))
        default:
            let body = #"{"address": "\#(ProvenAccount.phone)"}"#
            #expect(await account.admin.send(.post, "/admin/addresses/release", body).status == 200)
        }
        // The network from which the owner made the change is still known.
        #expect(try await count(server) == (isByOperator ? 0 : 1))
        try await lock(account)
        #expect(try await server.login(ProvenAccount.mail, from: "198.51.100.7").status == 429)
        let own = try await server.login(ProvenAccount.mail, "wrong-Horse-7", from: "192.0.2.1")
        #expect(own.status == (isByOperator ? 429 : 400))
    }

    @Test func `Known networks are forgotten when the account is reclaimed from an attacker`() async throws {
        let claimed = try await ClaimedAccount()
        _ = try await claimed.server.login(ClaimedAccount.mail, ClaimedAccount.password, from: "198.51.100.1")
        #expect(try await count(claimed.server) == 2)
        _ = try await claimed.server.enter(.login, with: ClaimedAccount.mail)
        // The remaining network is the one that the owner logged in from.
        #expect(try await count(claimed.server) == 1)
    }

    /// Enters wrong passwords from unknown networks until all unknown networks are locked out.
    private func lock(_ account: ProvenAccount) async throws {
        for number in 0..<60 {
            let host = "203.0.113.\(number / 5 + 1)"
            _ = try await account.server.login(ProvenAccount.mail, "wrong-Horse-7", from: host)
        }
        #expect(try await account.server.login(ProvenAccount.mail, from: "203.0.113.1").status == 429)
    }
}
