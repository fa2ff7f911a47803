import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Concurrent claims to an address", .onEachDatabase)
struct OwnershipRaceTests {
    /// Returns the e-mail address used in the given round.
    ///
    /// We run many rounds because a single race could end either way.
    private static func mail(_ round: Int) -> String { "owner\(round)@example.org" }

    private static func traits(_ round: Int, phone: Int) -> JSONValue {
        .object(["email": .string(mail(round)), "phone": .string("+467090\(100_000 + round * 1000 + phone)")])
    }

    /// Starts a registration and returns its flow and the code that was sent.
    private func beginSignUp(_ server: SelfServiceServer, _ traits: JSONValue, _ mail: String) async throws
        -> (flow: String, code: JSONValue)
    {
        let flow = await server.begin(.registration)
        _ = try await server.submitCode(.registration, flow, ["traits": traits])
        return (flow, .string(try await server.code(for: mail)))
    }

    @Test func `A user who signs up with a code gets the address even if it was claimed without proof`()
        async throws
    {
        let server = try await SelfServiceServer { $0.limits = .unlimited }
        for round in 0..<4 {
            let mail = Self.mail(round)
            let signUp = try await beginSignUp(server, Self.traits(round, phone: 0), mail)
            let before = try await server.count("identities")
            let (proofs, claims) = try await race { _ in
                try await server.submitCode(.registration, signUp.flow, ["code": signUp.code])
            } against: { number in
                let body = JSONValue.object([
                    "method": "password", "password": .string(SelfServiceServer.password),
                    "traits": Self.traits(round, phone: number + 1),
                ])
                return try await server.submit(.registration, await server.begin(.registration), body)
            }
            #expect(proofs.successes == 1)
            #expect(proofs.allSatisfy { [200, 400, 410].contains($0.status) })
            #expect(claims.successes <= 1)
            #expect(claims.allSatisfy { $0.status == 200 || $0.messages == [.duplicateIdentifier] })

            let winner = try #require(proofs.first { $0.status == 200 }?["identity"]?["id"]?.text)
            #expect(try await server.holder(of: mail)?.description == winner)
            #expect(try await server.provers(of: mail).map(\.description) == [winner])
            #expect(try await server.count("identities") == before + 1 + Int64(claims.successes))
            for claim in claims where claim.status == 200 {
                let id = try #require(claim["identity"]?["id"]?.text.flatMap { Identifier($0) })
                let claimant = try await server.identity(id)
                #expect(!claimant.identifiers.contains(mail))
                #expect(claimant.provenAddresses.isEmpty)
                #expect(await server.isAlive(claim["session_token"]?.text))
            }
        }
        #expect(server.reported.withLock { $0 } == [])
    }

    @Test func `Only one of two sign-ups with codes that were sent to the same address succeeds`()
        async throws
    {
        let server = try await SelfServiceServer { $0.limits = .unlimited }
        for round in 0..<4 {
            let mail = Self.mail(round)
            let first = try await beginSignUp(server, Self.traits(round, phone: 0), mail)
            let second = try await beginSignUp(server, Self.traits(round, phone: 1), mail)
            let before = (try await server.count("identities"), try await server.count("sessions"))
            let answers = try await race { _ in
                try await server.submitCode(.registration, first.flow, ["code": first.code])
            } against: { _ in
                try await server.submitCode(.registration, second.flow, ["code": second.code])
            }
            #expect(answers.first.successes + answers.second.successes == 1)
            let refused = answers.first.successes == 1 ? answers.second : answers.first
            #expect(refused.allSatisfy { $0.status == 400 && $0.messages == [.duplicateIdentifier] })
            #expect(try await server.count("identities") == before.0 + 1)
            #expect(try await server.count("sessions") == before.1 + 1)

            let won = (answers.first + answers.second).first { $0.status == 200 }
            let winner = try #require(won?["identity"]?["id"]?.text.flatMap { Identifier($0) })
            #expect(try await server.holder(of: mail) == winner)
            #expect(try await server.provers(of: mail) == [winner])
            #expect(try await server.identity(winner).confirmedAt != nil)
            #expect(await server.isAlive(won?["session_token"]?.text))
        }
        #expect(server.reported.withLock { $0 } == [])
    }

    @Test(arguments: 0..<3)
    func `Reclaiming an account with a code ends all sessions that used the attacker's password`(round: Int)
        async throws
    {
        let claimed = try await ClaimedAccount { $0.limits = .unlimited }
        let server = claimed.server
        let flow = try await server.requestCode(.login, to: ClaimedAccount.mail)
        let code = JSONValue.string(try await server.code(for: ClaimedAccount.mail))
        let (owner, attacker) = try await race { _ in
            try await server.submitCode(.login, flow, ["code": code])
        } against: { number in
            let name = number.isMultiple(of: 2) ? ClaimedAccount.mail : ClaimedAccount.phone
            return try await server.login(name, ClaimedAccount.password, from: "198.51.100.1")
        }
        #expect(owner.successes == 1)
        #expect(attacker.allSatisfy { $0.status == 200 || $0.messages == [.invalidCredentials] })
        for login in attacker where login.status == 200 {
            #expect(await !server.isAlive(login["session_token"]?.text))
        }
        #expect(await !server.isAlive(claimed.attackersToken))
        #expect(await server.isAlive(owner.first { $0.status == 200 }?["session_token"]?.text))
        #expect(try await !claimed.canLogIn(ClaimedAccount.mail))
        #expect(try await !claimed.canLogIn(ClaimedAccount.phone))
        let alive: SQL = "SELECT id FROM sessions WHERE revoked_at IS NULL"
        #expect(try await server.resources.database.rows(alive).count == 1)
        #expect(try await server.provers(of: ClaimedAccount.mail) == [claimed.account])
        #expect(try await claimed.actions().count { $0 == .accountReclaimed } == 1)
        #expect(server.reported.withLock { $0 } == [])
    }

    @Test(arguments: 0..<3)
    func `Concurrent attempts to verify an address in a session and in a sign-up don't both succeed`(
        round: Int
    )
        async throws
    {
        let claimed = try await ClaimedAccount { $0.limits = .unlimited }
        let server = claimed.server
        let verification = try #require(claimed.verifications[ClaimedAccount.mail])
        let insideCode = JSONValue.string(try await server.code(for: ClaimedAccount.mail))
        let traits: JSONValue = .object(["email": .string(ClaimedAccount.mail), "phone": "+46709000002"])
        let signUp = try await beginSignUp(server, traits, ClaimedAccount.mail)
        let (inside, signUps) = try await race { _ in
            try await server.submitCode(.verification, verification, ["code": insideCode])
        } against: { _ in
            try await server.submitCode(.registration, signUp.flow, ["code": signUp.code])
        }
        let verified = inside.count { $0["state"] == "passed_challenge" }
        #expect(verified + signUps.successes == 1)
        #expect(try await server.count("identities") == 1 + Int64(signUps.successes))
        let old = try await claimed.identity()
        if verified == 1 {
            #expect(signUps.allSatisfy { $0.messages == [.duplicateIdentifier] })
            #expect(old.isProven(.ownersMail))
            #expect(old.confirmedAt != nil)
        } else {
            #expect(old.identifiers == [ClaimedAccount.phone])
            #expect(old.confirmedAt == nil)
        }
        let holder = try #require(try await server.holder(of: ClaimedAccount.mail))
        #expect((holder == claimed.account) == (verified == 1))
        #expect(try await server.provers(of: ClaimedAccount.mail) == [holder])
        // The sign-up only takes the address away from the other account.
        #expect(await server.isAlive(claimed.attackersToken))
        #expect(server.reported.withLock { $0 } == [])
    }
}
