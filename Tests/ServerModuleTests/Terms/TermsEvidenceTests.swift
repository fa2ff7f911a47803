import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeySelfService

@Suite(.onEachDatabase) struct `Evidence of answers` {
    /// Statements that an operator with access to the database could try while the account exists.
    static let changes: [SQL] = [
        "UPDATE terms_evidence SET answer = 'refusal'", "UPDATE terms_evidence SET version = 2",
        "UPDATE terms_evidence SET answered_at = 1", "UPDATE terms_evidence SET session_id = NULL",
        "UPDATE terms_evidence SET identity_hash = 'x'", "UPDATE terms_evidence SET hash = id",
        "UPDATE terms_evidence SET identity_hash = 'x', session_id = NULL, closed_at = 1, shown = 'import'",
        "UPDATE terms_evidence SET identity_hash = 'x', closed_at = 1", "DELETE FROM terms_evidence",
        """
        INSERT INTO terms_evidence SELECT id, identity_id, number, document_key, version, language, hash, \
        'refusal', shown, session_id, client_id, answered_at, identity_hash, closed_at FROM terms_evidence
        """,
    ]

    private static let closing: SQL = """
        UPDATE terms_evidence SET identity_hash = 'x', session_id = NULL, closed_at = 1
        """

    /// Statements that an operator could try after the account was erased.
    static let later: [SQL] = [
        "UPDATE terms_evidence SET identity_hash = 'y'", "UPDATE terms_evidence SET closed_at = 2",
        "UPDATE terms_evidence SET closed_at = NULL", "UPDATE terms_evidence SET answer = 'refusal'",
        closing,
    ]

    private func stored(_ terms: TermsServer) async throws -> [String] {
        try await terms.database.rows(
            """
            SELECT number, document_key, version, answer, shown, answered_at, COALESCE(identity_hash, '-'), \
            COALESCE(closed_at, 0), CAST(CASE WHEN session_id IS NULL THEN 0 ELSE 1 END AS BIGINT) FROM terms_evidence \
            ORDER BY identity_id, number
            """
        ).map { row in
            [
                String(try row.integer(0)), try row.text(1), String(try row.integer(2)), try row.text(3),
                try row.text(4), String(try row.integer(5)), try row.text(6), String(try row.integer(7)),
                String(try row.integer(8)),
            ].joined(separator: " ")
        }
    }

    private func answered() async throws -> (TermsServer, TermsServer.User) {
        let terms = try await TermsServer()
        try await terms.publish()
        let user = try await terms.register()
        #expect(try await terms.answer(user.token).status == 200)
        return (terms, user)
    }

    private func expectRefusal(of statements: [SQL], by terms: TermsServer) async throws {
        let before = try await stored(terms)
        for statement in statements {
            await #expect(throws: DatabaseError.self, "\(statement)") {
                try await terms.database.transaction { _ = try $0.execute(statement) }
            }
        }
        #expect(try await stored(terms) == before && before.count == 1)
    }

    @Test func `Answers can be neither changed nor deleted while the account exists`() async throws {
        let (terms, _) = try await answered()
        var statements = Self.changes
        if try await terms.database.transaction({ $0.dialect }) == .sqlite {
            statements.append("INSERT OR REPLACE INTO terms_evidence SELECT * FROM terms_evidence")
        } else {
            statements.append("TRUNCATE terms_evidence")
        }
        try await expectRefusal(of: statements, by: terms)
    }

    @Test func `Answers of erased accounts are closed once`() async throws {
        let (terms, _) = try await answered()
        try await terms.database.transaction { _ = try $0.execute(Self.closing) }
        try await expectRefusal(of: Self.later, by: terms)
    }

    @Test func `The user's export contains the answers`() async throws {
        let (terms, user) = try await answered()
        #expect(try await terms.answer(user.token, "refusal")["session_ended"] == true)
        let export = await terms.server.get("/account/export", token: try await terms.logIn())
        let answers = export["agreements"]?.elements ?? []
        #expect(answers.map { $0["answer"] } == ["acceptance", "refusal"])
        #expect(answers.first?["document"] == "shop" && answers.first?["session_id"] != nil)
    }

    @Test func `Erasure keeps the answers with keyed hashes of the identifiers, and without the session`()
        async throws
    {
        let (terms, user) = try await answered()
        let other = try await terms.register(2)
        #expect(try await terms.answer(other.token).status == 200)
        #expect(await terms.admin.send(.delete, "/admin/identities/\(user.id)").status == 204)

        let rows = try await terms.database.rows(
            "SELECT identity_hash, session_id, closed_at FROM terms_evidence WHERE identity_id = $1",
            .identifier(user.id)
        )
        let row = try #require(rows.first)
        let event = try await AuditLog.events(of: user.id, limit: 10, in: terms.database)
            .first { $0.action == .deleted }
        #expect("identifiers:" + (try row.text(0)) == event?.subject)
        #expect(try row.text(0).split(separator: ",").allSatisfy { $0.utf8.count == 43 })
        #expect(row.isNull(1))
        #expect(try row.time(2) == event?.time)
        #expect(try await terms.rows(of: user) == [])
        #expect(try await terms.rows(of: other) == ["acceptance 1"])
        #expect(await terms.asked(other.token) == [])
    }

    @Test func `After a takeover, the new owner neither sees the earlier answers nor benefits from them`()
        async throws
    {
        let account = try await ProvenAccount(proving: [])
        let terms = TermsServer(admin: account.admin)
        try await terms.publish()
        let earlier = TermsServer.User(id: account.id, token: account.token)
        #expect(try await terms.answer(earlier.token).status == 200)
        let answer = try await terms.server.enter(.login, with: ProvenAccount.mail)
        let token = try #require(answer.sessionToken)
        #expect(try await account.identity().reclaimedAt != nil)

        #expect(await terms.asked(token) == ["terms.shop"])
        let document = await terms.server.get(TermsServer.path, token: token)["documents"]?.first
        #expect(document?["open"] == true && document?["answer"] == nil)
        #expect(await terms.server.get("/account/export", token: token)["agreements"] == [])
        #expect(try await stored(terms).map { $0.split(separator: " ")[0] } == ["1"])
        // The earlier user isn't the owner of the identifiers, so the row has no hash of them.
        #expect(
            try await terms.database.rows("SELECT identity_hash FROM terms_evidence").first?.text(0) == ""
        )

        #expect(
            try await terms.answer(token)["duties"]?.elements.map { $0["kind"] }.contains("accept_terms")
                == false
        )
        #expect(try await terms.rows(of: earlier) == ["acceptance 1"])
        #expect(try await stored(terms).map { $0.split(separator: " ")[0] } == ["1", "2"])
    }

    @Test(arguments: [Duration.zero, .seconds(3_600)])
    func `Answers of erased accounts are deleted after the retention period, if there is one`(
        retention: Duration
    ) async throws {
        let terms = try await TermsServer { $0.terms.retention = retention }
        try await terms.publish()
        let users = [try await terms.register(1), try await terms.register(2)]
        for user in users { #expect(try await terms.answer(user.token).status == 200) }
        terms.server.time.advance(by: .seconds(7_200))
        #expect(await terms.admin.send(.delete, "/admin/identities/\(users[0].id)").status == 204)
        var counts: [Int64] = []
        for _ in 1...2 {
            _ = try await terms.server.assembly.cleanUp.round()
            counts.append(try await terms.count())
            terms.server.time.advance(by: .seconds(3_601))
        }
        #expect(counts == [2, retention == .zero ? 2 : 1])
        #expect(try await terms.rows(of: users[1]) == ["acceptance 1"])
    }
}
