import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyOAuth

/// Uses of one request or grant of an app that two servers with one database receive at once.
extension ApprovalTests {
    @Test func `Of many browsers that open a pushed request at once, one gets it`() async throws {
        let other = try await server.another()
        for round in 0..<ProviderRace.rounds {
            let address =
                SelfServiceServer.url + Route.authorization + "?client_id=game&request_uri="
                + QueryItems.encode(try await requestURI())
            let statuses = try await ProviderRace.run { index in
                await TestBrowser(index % 2 == 0 ? server.people : other.people).get(address).status
            }
            #expect(statuses.count { $0 == 303 } == 1, "round \(round): \(statuses)")
            #expect(statuses.allSatisfy { [303, 400].contains($0) }, "round \(round): \(statuses)")
        }
    }

    @Test func `Of many decisions about a request at once, one counts`() async throws {
        let other = try await server.another()
        let token = try await store()
        var approvals = 0
        for round in 0..<ProviderRace.rounds {
            let opened = try await open(try await requestURI(), token: token)
            let answers = try await ProviderRace.run { index in
                try await answer(
                    opened,
                    // Each decision is the first one in half of the rounds.
                    (index + round) % 2 == 0 ? "approve" : "refuse",
                    token: token,
                    at: index % 4 < 2 ? server : other
                )
            }
            let winners = answers.filter { $0.status == 200 }
            #expect(winners.count == 1, "round \(round): \(answers.map(\.status))")
            #expect(answers.allSatisfy { [200, 410].contains($0.status) }, "\(answers.map(\.status))")
            let address = try #require(winners.first?["redirect_to"]?.text)
            let parameters = QueryItems(String(address.drop { $0 != "?" }.dropFirst()))
            let open = try await server.count("grants", where: "ended_at IS NULL")
            guard let code = parameters["code"] else {
                #expect(parameters["error"] == "access_denied" && open == 0, "round \(round)")
                continue
            }
            approvals += 1
            #expect(open == 1, "round \(round)")
            let tokens = await game.redeem(code, proof: try proof(key, at: Route.token))
            #expect(tokens.status == 200, "round \(round): \(tokens.body)")
            _ = await game.send(["token": tokens.refreshToken], to: Route.revocation)
        }
        #expect((1..<ProviderRace.rounds).contains(approvals))
    }

    @Test func `Of many sessions that open a request at once, one gets it`() async throws {
        let other = try await server.another()
        let tokens = [try await store(), try await store(2)]
        for round in 0..<ProviderRace.rounds {
            let uri = try await requestURI()
            let answers = try await ProviderRace.run { index in
                let node = index % 4 < 2 ? server : other
                let opened = try await open(uri, token: tokens[index % 2], at: node)
                return (index % 2, opened.status)
            }
            let winners = Set(answers.filter { $0.1 == 201 }.map { $0.0 })
            #expect(winners.count == 1, "round \(round): \(answers.map(\.1))")
            for (session, status) in answers {
                #expect(status == (winners.contains(session) ? 201 : 404), "round \(round)")
            }
        }
    }

    @Test func `Either the approval or the release of a request counts`() async throws {
        let other = try await server.another()
        let (token, next) = (try await store(), try await store(2))
        var approvals = 0
        for round in 0..<ProviderRace.rounds {
            let uri = try await requestURI()
            let opened = try await open(uri, token: token)
            let answers = try await ProviderRace.run { index in
                let node = index % 4 < 2 ? server : other
                // Each action is the first one in half of the rounds.
                return (index + round) % 2 == 0
                    ? try await answer(opened, "approve", token: token, at: node)
                    : try await release(opened, token: token, at: node)
            }
            let approved = answers.filter { $0.status == 200 }
            let releases = answers.count { $0.status == 204 }
            #expect(approved.count == (releases == 0 ? 1 : 0), "round \(round): \(answers.map(\.status))")
            #expect(
                answers.allSatisfy { [200, 204, 404, 410].contains($0.status) },
                "round \(round): \(answers.map(\.status))"
            )
            approvals += approved.count
            let again = try await open(uri, token: next)
            #expect(again.status == (releases == 0 ? 404 : 201), "round \(round)")
            let last = releases == 0 ? approved.first : try await answer(again, "approve", token: next)
            #expect(try await redeem(try #require(last)) == 200, "round \(round)")
            try await endGrants()
        }
        #expect((1..<ProviderRace.rounds).contains(approvals))
    }

    @Test func `A session can't answer the request that it has released to another one`() async throws {
        let other = try await server.another()
        let (token, next) = (try await store(), try await store(2))
        let account = try await open(try await requestURI(), token: next)["account"]?.text
        for round in 0..<ProviderRace.rounds {
            let uri = try await requestURI()
            let opened = try await open(uri, token: token)
            let answers = try await ProviderRace.run { index in
                switch index % 4 {
                case 0: return (index, try await release(opened, token: token).status)
                case 1: return (index, try await answer(opened, "approve", token: token, at: other).status)
                case 2: return (index, try await open(uri, token: next, at: other).status)
                default:
                    let refused = try await answer(opened, "refuse", token: next, account: account)
                    return (index, refused.status)
                }
            }
            // Whichever session has answered, the other one couldn't.
            let winners = answers.filter { $0.0 % 2 == 1 && $0.1 == 200 }
            #expect(winners.count <= 1, "round \(round): \(answers)")
            let isApproved = winners.contains { $0.0 % 4 == 1 }
            #expect(try await server.count("grants", where: "ended_at IS NULL") == (isApproved ? 1 : 0))
            if isApproved {
                #expect(!answers.contains { $0.0 % 4 == 0 && $0.1 == 204 }, "round \(round): \(answers)")
                #expect(!answers.contains { $0.0 % 4 == 2 && $0.1 == 201 }, "round \(round): \(answers)")
            }
            try await endGrants()
        }
    }

    /// Ends all grants, so that they don't count as too many of the account.
    private func endGrants() async throws {
        _ = try await server.database.transaction { transaction in
            try transaction.execute("UPDATE grants SET ended_at = created_at WHERE ended_at IS NULL")
        }
    }

    /// Returns a code for a request that the store app has approved.
    private func approvedCode(token: String) async throws -> String {
        let opened = try await open(try await requestURI(), token: token)
        return try code(in: try await answer(opened, "approve", token: token))
    }

    @Test func `A code that others redeem at once is only redeemed by its app, whose session is usable`()
        async throws
    {
        let there = game.connected(to: try await server.another())
        let token = try await store()
        let thief = try SigningKey.generate()
        for round in 0..<ProviderRace.rounds {
            let code = try await approvedCode(token: token)
            let answers = try await ProviderRace.run(times: 10) { index in
                let client = index % 2 == 0 ? game : there
                let guess = ["code_verifier": String(RelyingParty.verifier.reversed())]
                switch (index + round) % 10 {
                case 0: return await client.redeem(code, proof: try proof(key, at: Route.token))
                case 1...3: return await client.redeem(code, with: guess)
                case 4...6:
                    let proof = try proof(thief, at: Route.token)
                    return await client.redeem(code, with: guess, proof: proof)
                default:
                    let proof = try proof(key, at: Route.token)
                    return await client.redeem(code, with: guess, proof: proof)
                }
            }
            let winners = answers.filter { $0.status == 200 }
            #expect(winners.count == 1, "round \(round): \(answers.map(\.status))")
            let session = try await exchange(winners.first?.accessToken ?? "", by: there, key: key)
            #expect(session.status == 200, "round \(round): \(session.body)")
            let found = await server.people.get("/sessions/whoami", token: session.accessToken)
            #expect(found.status == 200, "round \(round)")
        }
    }

    @Test func `Of many redemptions of a code by its app at once, one wins, and the others end the grant`()
        async throws
    {
        let there = game.connected(to: try await server.another())
        let token = try await store()
        for round in 0..<ProviderRace.rounds {
            let code = try await approvedCode(token: token)
            let answers = try await ProviderRace.run(times: 10) { index in
                let client = index % 2 == 0 ? game : there
                return await client.redeem(code, proof: try proof(key, at: Route.token))
            }
            let winners = answers.filter { $0.status == 200 }
            #expect(winners.count == 1, "round \(round): \(answers.map(\.status))")
            #expect(answers.count { $0.oauthError == "invalid_grant" } == 9, "round \(round)")
            let session = try await exchange(winners.first?.accessToken ?? "", key: key)
            #expect(session.oauthError == "invalid_grant", "round \(round)")
        }
        #expect(try await server.count("sessions", where: "client_id = 'game'") == 0)
    }

    @Test func `Of many exchanges of a grant at once, one session results`() async throws {
        let there = game.connected(to: try await server.another())
        let visitor = try await server.signedUp()
        for round in 0..<ProviderRace.rounds {
            let code = try await game.authorize(visitor)
            let granted = await game.redeem(code, proof: try proof(key, at: Route.token))
            let answers = try await ProviderRace.run { index in
                try await exchange(granted.accessToken, by: index % 2 == 0 ? game : there, key: key)
            }
            #expect(answers.allSatisfy { $0.status == 200 }, "round \(round): \(answers.map(\.status))")
            #expect(try await server.count("sessions", where: "client_id = 'game'") == Int64(round) + 1)
            // Each answer has replaced the token of the one before.
            var accepted = 0
            for answer in answers
            where await server.people.get("/sessions/whoami", token: answer.accessToken).status == 200 {
                accepted += 1
            }
            #expect(accepted == 1, "round \(round)")
        }
        #expect(try await server.count("grants", where: "ended_at IS NULL") == 0)
    }
}
