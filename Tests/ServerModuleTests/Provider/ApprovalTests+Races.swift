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
