import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts

@Suite(.onEachDatabase) struct `Duties of a session` {
    private let source = ScriptedDuties()
    private let another = ScriptedDuties()
    private let admin: AdminServer
    private let server: SelfServiceServer

    init() async throws {
        admin = try await AdminServer(dutySources: [source, another])
        server = admin.people
        _ = await admin.send(.post, "/admin/clients", #"{"client_id": "shop", "client_name": "Shop"}"#)
    }

    /// Registers person 1, and returns the answer.
    private func register(_ query: String = "") async throws -> Answer {
        try await server.submit(
            .registration,
            await server.begin(.registration, query),
            .object([
                "method": "password", "password": .string(SelfServiceServer.password),
                "traits": SelfServiceServer.traits(),
            ])
        )
    }

    @Test func `A session without duties has no member for them`() async throws {
        let answer = try await register()
        let token = try #require(answer["session_token"]?.text)
        #expect(answer["session"]?["duties"] == nil)
        #expect(await server.get("/sessions/whoami", token: token)["duties"] == nil)
    }

    @Test func `whoami lists the duties in the order of their sources, and the fields of one kind together`()
        async throws
    {
        let token = try #require(try await register()["session_token"]?.text)
        let other = Duty.Kind(rawValue: "other")
        source.duties.withLock {
            $0 = [AccountDuty(other), AccountDuty(.completeProfile, fields: ["traits.b"])]
        }
        another.duties.withLock {
            $0 = [AccountDuty(.completeProfile, fields: ["traits.b", "traits.a"], isBlocking: true)]
        }
        let duties = await server.get("/sessions/whoami", token: token)["duties"]
        #expect(
            duties == [
                .object(["kind": "other", "blocking": false, "fields": []]),
                .object([
                    "kind": "complete_profile", "blocking": true, "fields": ["traits.a", "traits.b"],
                ]),
            ]
        )
    }

    @Test func `The answers to a login and a registration contain the duties of whoami`() async throws {
        source.duties.withLock { $0 = [AccountDuty(.completeProfile, fields: ["traits.a"])] }
        let registered = try await register()
        let login = try await server.login()
        for answer in [registered, login] {
            let token = try #require(answer["session_token"]?.text)
            let me = await server.get("/sessions/whoami", token: token)
            #expect(answer["session"]?["duties"]?.first?["fields"] == ["traits.a"])
            #expect(answer["session"]?["duties"] == me["duties"])
        }
    }

    @Test func `A login and a registration succeed even if the duties can't be read`() async throws {
        source.failure.withLock { $0 = DatabaseError(.unavailable, message: "The database is restarting.") }
        for answer in [try await register(), try await server.login()] {
            #expect(answer.status == 200)
            #expect(answer["session"]?["duties"] == nil)
            let token = try #require(answer["session_token"]?.text)
            // whoami reports the duties, so it fails instead of leaving them out.
            #expect(await server.get("/sessions/whoami", token: token).status >= 500)
        }
    }

    @Test func `Sources see the account and the session's client`() async throws {
        let token = try #require(try await register("?client_id=shop")["session_token"]?.text)
        _ = await server.get("/sessions/whoami", token: token)
        let question = try #require(source.questions.withLock { $0.last })
        #expect(question.client?.id == "shop")
        #expect(question.now == server.time.now)
        #expect(question.account.schemaID == "person")
    }

    @Test func `A session whose client is disabled or deleted counts as one without a client`() async throws {
        let token = try #require(try await register("?client_id=shop")["session_token"]?.text)
        let disabled = #"{"client_name": "Shop", "latchkey": {"disabled": true}}"#
        #expect(await admin.send(.put, "/admin/clients/shop", disabled).status == 200)
        _ = await server.get("/sessions/whoami", token: token)
        #expect(source.questions.withLock { $0.last }?.client == nil)
        #expect(await admin.send(.delete, "/admin/clients/shop", "").status == 204)
        _ = await server.get("/sessions/whoami", token: token)
        #expect(source.questions.withLock { $0.last }?.client == nil)
    }

    @Test
    func `Sources see the documents that the account has answered, which saving the account doesn't undo`()
        async throws
    {
        let answer = try await register()
        let token = try #require(answer["session_token"]?.text)
        let id = try #require(answer["identity"]?["id"]?.text.flatMap { Identifier($0) })
        var agreements = Agreements(column: nil)
        agreements.answer("terms", version: 3)
        try await server.database.transaction { [agreements] transaction in
            try AgreementRepository.save(agreements, of: id, in: transaction)
        }
        #expect(
            try await server.change(
                traits: ["email": "person1@example.org", "phone": "+46701000001"],
                token: token
            ).status == 200
        )
        _ = await server.get("/sessions/whoami", token: token)
        let column = try #require(source.questions.withLock { $0.last }?.account.agreements)
        #expect(Agreements(column: column).version(of: "terms") == 3)
        #expect(Agreements(column: column).version(of: "privacy") == nil)
    }
}

@Suite struct `Answered documents in the account's row` {
    @Test(
        arguments: [
            (nil, []), ("", []), ("terms 3\n", ["terms 3"]), ("a 1\nb 2\n", ["a 1", "b 2"]),
            ("terms\nprivacy 2\nterms x\n", ["privacy 2"]),
        ] as [(String?, [String])]
    )
    func `Lines that can't be read count as unanswered`(column: String?, answers: [String]) {
        let agreements = Agreements(column: column)
        let found = ["a", "b", "privacy", "terms"].compactMap { key in
            agreements.version(of: key).map { "\(key) \($0)" }
        }
        #expect(found == answers)
        #expect(agreements.column == (answers.isEmpty ? nil : answers.map { $0 + "\n" }.joined()))
    }

    @Test func `A late answer to an earlier version doesn't replace a newer one`() {
        var agreements = Agreements(column: "terms 3\n")
        agreements.answer("terms", version: 2)
        #expect(agreements.version(of: "terms") == 3)
        agreements.answer("terms", version: 4)
        agreements.answer("privacy", version: 1)
        #expect(agreements.column == "privacy 1\nterms 4\n")
    }
}
