import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyOAuth

/// Requests that the user opens with one session and answers with another.
extension ApprovalTests {
    func release(
        _ opened: Answer,
        token: String,
        at node: ProviderServer? = nil
    ) async throws -> Answer {
        try await (node ?? server).people.approval(
            "/" + (opened["id"]?.text ?? ""),
            method: .delete,
            token: token
        )
    }

    /// Returns the code in an answer.
    func code(in approved: Answer) throws -> String {
        let address = approved["redirect_to"]?.text ?? ""
        let code = QueryItems(String(address.drop { $0 != "?" }.dropFirst()))["code"]
        return try #require(code, "\(approved.body)")
    }

    /// Redeems the code in an answer, and returns the status.
    func redeem(_ approved: Answer) async throws -> Int {
        await game.redeem(try code(in: approved), proof: try proof(key, at: Route.token)).status
    }

    /// The time until a request expires, in seconds.
    private func lifespan(of opened: Answer) async throws -> Int64 {
        let id = try #require(opened["id"]?.text.flatMap { Identifier($0) })
        let rows = try await server.database.rows(
            "SELECT expires_at FROM authorization_requests WHERE id = $1",
            .identifier(id)
        )
        return try rows[0].time(0).seconds - server.time.now.seconds
    }

    @Test func `A released request is answered by another account`() async throws {
        let (token, other) = (try await store(), try await store(2))
        let uri = try await requestURI()
        let opened = try await open(uri, token: token)
        #expect(try await release(opened, token: other).status == 404)
        #expect(try await open(uri, token: other).status == 404)
        #expect(try await release(opened, token: token).status == 204)
        #expect(try await answer(opened, "approve", token: token).status == 404)
        // The response may have been lost.
        #expect(try await release(opened, token: token).status == 204)
        let again = try await open(uri, token: other)
        #expect(again.status == 201, "\(again.body)")
        // A release that arrives late doesn't take the request from the other account.
        #expect(try await release(opened, token: token).status == 404)
        #expect(try await open(uri, token: token).status == 404)
        #expect(try await answer(opened, "refuse", token: token).status == 404)
        let approved = try await answer(again, "approve", token: other)
        #expect(try await redeem(approved) == 200)
        #expect(try await release(again, token: other).status == 410)
        let rows = try await server.database.rows(
            "SELECT s.identity_id FROM grants g JOIN sessions s ON s.id = g.session_id"
        )
        let session = await server.people.get("/sessions/whoami", token: other)
        #expect(try rows.map { try $0.identifier(0).description } == [session["identity"]?["id"]?.text])
    }

    @Test func `A released request is opened again by the same session or by a browser`() async throws {
        let token = try await store()
        let uri = try await requestURI()
        let opened = try await open(uri, token: token)
        #expect(try await release(opened, token: token).status == 204)
        #expect(try await open(uri, token: token)["id"] == opened["id"])
        #expect(try await release(opened, token: token).status == 204)
        let visitor = PageVisitor(server.people)
        try await visitor.open(Route.authorization + "?client_id=game&request_uri=" + QueryItems.encode(uri))
        #expect(visitor.path == "/login")
        // Now the request belongs to the browser.
        #expect(try await lifespan(of: opened) == 600)
        #expect(try await release(opened, token: token).status == 404)
        #expect(try await open(uri, token: token).status == 404)
    }

    @Test func `Opening and releasing a request doesn't make it last longer`() async throws {
        let (token, other) = (try await store(), try await store(2))
        let uri = try await requestURI()
        server.time.advance(by: .seconds(590))
        let opened = try await open(uri, token: token)
        #expect(try await lifespan(of: opened) == 300)
        for second in stride(from: 299, to: 200, by: -1) as StrideTo<Int64> {
            server.time.advance(by: .seconds(1))
            let session = second.isMultiple(of: 2) ? token : other
            #expect(try await release(opened, token: second.isMultiple(of: 2) ? other : token).status == 204)
            #expect(try await open(uri, token: session).status == 201)
            #expect(try await lifespan(of: opened) == second)
        }
        server.time.advance(by: .seconds(201))
        #expect(try await release(opened, token: other).status == 410)
        #expect(try await open(uri, token: other).status == 410)
    }

    @Test func `A request outlives the session that has opened it, for the next login`() async throws {
        let token = try await store()
        let uri = try await requestURI()
        let opened = try await open(uri, token: token)
        let other = try await server.people.loggedIn(1)
        #expect(try await open(uri, token: other).status == 404)
        let logout = try await server.people.delete(
            "/self-service/logout/api",
            ["session_token": .string(token)]
        )
        #expect(logout.status == 204)
        #expect(try await release(opened, token: token).status == 401)
        server.time.advance(by: .seconds(100))
        let again = try await open(uri, token: other)
        #expect(again["id"] == opened["id"])
        #expect(try await lifespan(of: opened) == 200)
        // The request isn't open to a third session.
        #expect(try await open(uri, token: try await store(3)).status == 404)
        #expect(try await redeem(try await answer(again, "approve", token: other)) == 200)
    }

    @Test func `A request that isn't any app's can't be released`() async throws {
        let token = try await store()
        let visitor = try await server.signedUp(2)
        try await visitor.open(game.address())
        let rows = try await server.database.rows("SELECT id FROM authorization_requests")
        let challenge = try rows[0].identifier(0).description
        for id in [challenge, Identifier().description, "x"] {
            let answer = try await server.people.approval("/" + id, method: .delete, token: token)
            #expect(answer.status == 404, "\(id)")
        }
        #expect(try await server.people.approval("/x", method: .delete, token: "wrong").status == 401)
    }

    // MARK: Refusals

    @Test func `A withdrawn request is reported to the app that has opened it and to one that comes late`()
        async throws
    {
        let (token, other) = (try await store(), try await store(2))
        let (opened, fresh) = (try await requestURI(), try await requestURI())
        let shown = try await open(opened, token: token)
        for uri in [opened, fresh] {
            let proof = try proof(key, at: Route.revocation)
            _ = await game.send(["token": uri], to: Route.revocation, proof: proof)
        }
        for answer in [
            try await answer(shown, "approve", token: token), try await release(shown, token: token),
            try await open(opened, token: token), try await open(fresh, token: token),
            try await open(fresh, token: other),
        ] {
            #expect(answer.status == 410)
            #expect(answer.errorID == .approvalExpired)
        }
        // Other sessions and clients learn as little as before.
        _ = try await server.client("other", own: #""app_to_app": true"#)
        #expect(try await open(opened, token: other).status == 404)
        #expect(try await open(fresh, token: token, client: "other").status == 404)
        #expect(try await server.count("grants") == 0)
    }

    @Test func `An expired request can't be opened or answered`() async throws {
        let token = try await store()
        let uri = try await requestURI()
        let opened = try await open(try await requestURI(), token: token)
        server.time.advance(by: .seconds(299))
        #expect(try await open(uri, token: token).status == 201)
        server.time.advance(by: .seconds(1))
        #expect(try await answer(opened, "approve", token: token).errorID == .approvalExpired)
        #expect(try await answer(opened, "refuse", token: token).errorID == .approvalExpired)
        let late = try await requestURI()
        server.time.advance(by: .seconds(600))
        #expect(try await open(late, token: token).errorID == .approvalExpired)
        #expect(try await server.count("grants") == 0)
    }

    @Test(
        arguments: [
            #"{"op": "replace", "path": "/latchkey/app_to_app", "value": false}"#,
            #"{"op": "replace", "path": "/redirect_uris", "value": ["com.example.game:/other"]}"#,
        ]
    )
    func `A request that the client's registration no longer allows can't be opened or answered`(
        change: String
    ) async throws {
        let token = try await store()
        let uri = try await requestURI()
        let opened = try await open(try await requestURI(), token: token)
        let request = HTTP.Request(.patch, "/admin/clients/game", body: Array("[\(change)]".utf8))
        let administration = server.people.assembly.localAdministration()
        let peer = PeerAddress(host: "192.0.2.9", port: 50_000)
        #expect(await administration.respond(to: request, from: peer).status == 200)
        #expect(try await open(uri, token: token).status == 404)
        #expect(try await answer(opened, "approve", token: token).status == 404)
        // The address of the other app isn't opened with an error, either.
        #expect(try await answer(opened, "refuse", token: token).status == 404)
        #expect(try await server.count("grants") == 0)
    }

    @Test func `An account that has changed since it was shown isn't used`() async throws {
        let token = try await store()
        let uri = try await requestURI()
        let opened = try await open(uri, token: token)
        let flow = await server.people.begin(.settings, token: token)
        let traits: JSONValue = ["email": "person1@example.org", "phone": "+46701000077"]
        let saved = try await server.people.submit(
            .settings,
            flow,
            ["method": "profile", "traits": traits],
            token: token
        )
        #expect(saved.status == 200, "\(saved.body)")
        for decision in ["approve", "refuse"] {
            let refused = try await answer(opened, decision, token: token)
            #expect(refused.status == 409)
            #expect(refused.errorID == .accountChanged)
        }
        // The request isn't used up.
        let again = try await open(uri, token: token)
        #expect(again["id"] == opened["id"])
        #expect(opened["account"] == "+46…01" && again["account"] == "+46…77")
        #expect(try await redeem(try await answer(again, "approve", token: token)) == 200)
    }

    // MARK: Clean-up

    @Test func `Abandoned requests leave no rows after they have expired`() async throws {
        let token = try await store()
        _ = try await requestURI()
        _ = try await open(try await requestURI(), token: token)
        let released = try await open(try await requestURI(), token: token)
        #expect(try await release(released, token: token).status == 204)
        let refused = try await open(try await requestURI(), token: token)
        #expect(try await answer(refused, "refuse", token: token).status == 200)
        let approved = try await open(try await requestURI(), token: token)
        #expect(try await answer(approved, "approve", token: token).status == 200)
        let cleanUp = CleanUp(
            server.people.assembly.expiredRows,
            in: server.database,
            time: server.time,
            interval: .zero,
            batch: 3
        )
        func counts() async throws -> [Int64] {
            _ = try await cleanUp.round()
            return [
                try await server.count("authorization_requests"), try await server.count("grants"),
                try await server.count("seen_proofs"),
            ]
        }
        let before = try await counts()
        #expect(before.prefix(2) == [5, 1])
        server.time.advance(by: .seconds(300))
        #expect(try await counts()[0] == 1)
        server.time.advance(by: .seconds(300))
        #expect(try await counts()[0] == 0)
        // The code is recognized for another day.
        server.time.advance(by: GrantRepository.retention)
        #expect(try await counts() == [0, 0, 0])
    }
}
