import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Bulk administration of sessions` {
    private static let unknown = "9a8cbfb3-87bd-4087-b48d-2569b1b43386"

    private let server: AdminServer

    init() async throws {
        server = try await AdminServer()
    }

    private struct Person {
        let identity: String
        let sessions: [String]
        let tokens: [String]
    }

    /// Registers a user and logs in a second time.
    private func person(_ number: Int) async throws -> Person {
        let first = try await server.people.register(number)
        let second = try await server.people.login("person\(number)@example.org")
        let answers = [first, second]
        return Person(
            identity: try #require(first["identity"]?["id"]?.text),
            sessions: try answers.map { try #require($0["session"]?["id"]?.text) },
            tokens: try answers.map { try #require($0["session_token"]?.text) }
        )
    }

    private func manage(_ action: String, _ member: String, _ ids: [String]) async -> Answer {
        let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
        return await server.send(
            .post,
            "/admin/sessions",
            #"{"action": "\#(action)", "\#(member)": [\#(list)]}"#
        )
    }

    private func alive(_ person: Person) async -> [Bool] {
        var alive: [Bool] = []
        for token in person.tokens {
            alive.append(await server.people.get("/sessions/whoami", token: token).status == 200)
        }
        return alive
    }

    @Test func `Sessions that are ended by id are counted and logged once each`() async throws {
        let (one, two) = (try await person(1), try await person(2))
        let some = [one.sessions[0], two.sessions[1], Self.unknown]

        let ended = await manage("disable", "sessions", some + some)
        #expect(ended.body == .object(["processed": .integer(2), "more": .bool(false)]))
        let again = await manage("disable", "sessions", some + [one.sessions[1]])
        #expect(again.body == .object(["processed": .integer(1), "more": .bool(false)]))

        #expect(await alive(one) == [false, false])
        #expect(await alive(two) == [true, false])
        #expect(try await server.actions(one.identity) == ["session.revoked", "session.revoked"])
        let shown = await server.send(.get, "/admin/sessions/\(one.sessions[0])")
        #expect(shown["active"] == .bool(false))
    }

    @Test func `A single request can end or delete the sessions of several identities`() async throws {
        let (one, two, three) = (try await person(1), try await person(2), try await person(3))

        let ended = await manage("disable", "identities", [one.identity, two.identity, Self.unknown])
        #expect(ended.body == .object(["processed": .integer(4), "more": .bool(false)]))
        let deleted = await manage("delete", "identities", [two.identity])
        #expect(deleted.body == .object(["processed": .integer(2), "more": .bool(false)]))

        #expect(await alive(one) + (await alive(two)) == [false, false, false, false])
        #expect(await alive(three) == [true, true])
        #expect(await server.send(.get, "/admin/identities/\(one.identity)/sessions").ids.count == 2)
        #expect(await server.send(.get, "/admin/identities/\(two.identity)/sessions").ids.isEmpty)
        #expect(
            try await server.actions(two.identity) == [
                "session.revoked", "session.revoked", "session.deleted", "session.deleted",
            ]
        )
    }

    @Test func `A single request can end or delete all sessions`() async throws {
        let people = [try await person(1), try await person(2)]
        for person in people { #expect(await alive(person) == [true, true]) }

        let ended = await manage("disable", "identities", ["*"])
        #expect(ended.body == .object(["processed": .integer(4), "more": .bool(false)]))
        for person in people { #expect(await alive(person) == [false, false]) }
        #expect(await manage("disable", "identities", ["*"])["processed"] == .integer(0))

        #expect(await manage("delete", "identities", ["*"])["processed"] == .integer(4))
        #expect(try await server.people.count("sessions") == 0)
    }

    @Test(arguments: ["disable", "delete"])
    func `A request changes up to a thousand sessions and reports whether more remain`(action: String)
        async throws
    {
        let one = try await person(1)
        let first = try #require(Identifier(one.sessions[0]))
        try await server.database.transaction { transaction in
            for _ in 0..<999 {
                try transaction.execute(
                    """
                    INSERT INTO sessions (token_hash, id, identity_id, authentications, evidence, issued_at, \
                    authenticated_at, expires_at, ends_at, needs_certificate, device_id, ip_address, user_agent) \
                    SELECT $1, $2, identity_id, authentications, evidence, issued_at, authenticated_at, expires_at, \
                    ends_at, needs_certificate, device_id, ip_address, user_agent FROM sessions WHERE id = $3
                    """,
                    .blob(SystemRandom().bytes(32)),
                    .identifier(Identifier(random: SystemRandom())),
                    .identifier(first)
                )
            }
        }

        let most = await manage(action, "identities", ["*"])
        #expect(most.body == .object(["processed": .integer(1000), "more": .bool(true)]))
        let rest = await manage(action, "identities", ["*"])
        #expect(rest.body == .object(["processed": .integer(1), "more": .bool(false)]))
        #expect(await alive(one) == [false, false])
    }

    @Test func `Sessions that have already expired are not processed`() async throws {
        let one = try await person(1)
        server.people.time.advance(by: .seconds(31 * 86_400))

        #expect(await manage("disable", "sessions", one.sessions)["processed"] == .integer(0))
        #expect(await manage("disable", "identities", [one.identity])["processed"] == .integer(0))
        #expect(try await server.actions(one.identity).isEmpty)
    }

    @Test(arguments: [
        "[]", "{}", #"{"action": "disable"}"#, #"{"action": "disable", "sessions": []}"#,
        #"{"action": "end", "sessions": ["ID"]}"#, #"{"sessions": ["ID"]}"#,
        #"{"action": "disable", "sessions": ["ID"], "identities": ["ID"]}"#,
        #"{"action": "disable", "sessions": ["x"]}"#, #"{"action": "disable", "sessions": ["*"]}"#,
        #"{"action": "disable", "sessions": "ID"}"#, #"{"action": "disable", "sessions": [1]}"#,
        #"{"action": "disable", "identities": ["*", "ID"]}"#,
        #"{"action": "disable", "session": ["ID"]}"#,
        #"{"action": "disable", "sessions": ["ID"], "all": true}"#,
    ])
    func `A request without a valid selection of sessions is rejected`(body: String) async throws {
        let one = try await person(1)

        let answer = await server.send(.post, "/admin/sessions", body.replacing("ID", with: one.sessions[0]))

        #expect(answer.status == 400, "\(answer.body)")
        #expect(await alive(one) == [true, true])
    }

    @Test func `A request can contain at most five hundred ids`() async {
        let ids = (0..<501).map { _ in Identifier(random: SystemRandom()).description }

        #expect(await manage("delete", "sessions", ids).status == 400)
        #expect(await manage("delete", "sessions", Array(ids.dropLast())).status == 200)
    }
}
