import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Data of an account's earlier user", .onEachDatabase)
struct EarlierUserTests {
    private func reclaim() async throws -> (claimed: ClaimedAccount, token: String) {
        let claimed = try await ClaimedAccount()
        _ = try await claimed.server.change(
            traits: [
                "email": .string(ClaimedAccount.mail), "phone": .string(ClaimedAccount.phone),
                "name": "Earlier User",
            ],
            token: claimed.attackersToken
        )
        try await claimed.server.resources.database.transaction { transaction in
            _ = try transaction.execute(
                "UPDATE identities SET metadata_public = $1, metadata_admin = $2",
                .blob(Array(#"{"tier":"gold"}"#.utf8)),
                .blob(Array(#"{"note":"kept"}"#.utf8))
            )
        }
        let token = try #require(try await claimed.enter(.login, with: ClaimedAccount.mail).sessionToken)
        return (claimed, token)
    }

    @Test func `The new owner gets the address and nothing else`() async throws {
        let (claimed, token) = try await reclaim()
        let me = await claimed.server.get("/sessions/whoami", token: token)
        let identity = try #require(me["identity"])
        #expect(identity["traits"] == .object(["email": .string(ClaimedAccount.mail)]))
        #expect(identity["metadata_public"]?.members?.keys.sorted() == ["reclaimed_at"])
        #expect(me["duties"]?.first?["fields"] == ["traits.phone"])
        let stored = try await claimed.identity()
        #expect(stored.adminMetadata.map { String(decoding: $0, as: UTF8.self) } == #"{"note":"kept"}"#)
        #expect(stored.addressStates.keys.map(\.value) == [ClaimedAccount.mail])
    }

    @Test func `The earlier user's other address is no recovery address any more`() async throws {
        let schema = """
            {"type": "object", "properties": {"traits": {"type": "object", "properties": {
              "email": {"type": "string", "format": "email", "ory.sh/kratos": {
                "credentials": {"code": {"identifier": true, "via": "email"}},
                "recovery": {"via": "email"}, "verification": {"via": "email"}}},
              "phone": {"type": "string", "format": "tel", "ory.sh/kratos": {
                "credentials": {"password": {"identifier": true}},
                "recovery": {"via": "sms"}, "verification": {"via": "sms"}}},
              "age": {"type": "integer"}, "adult": {"type": "boolean"}}}}}
            """
        let server = try await SelfServiceServer(schema: "own", schemas: ["own": schema])
        let body: JSONValue = .object([
            "method": "password", "password": .string(SelfServiceServer.password),
            "traits": .object([
                "email": .string(ClaimedAccount.mail), "phone": .string(ClaimedAccount.phone),
                "age": 47, "adult": true,
            ]),
        ])
        let answer = try await server.submit(.registration, await server.begin(.registration), body)
        let id = try #require(answer["identity"]?["id"]?.text.flatMap { Identifier($0) }, "\(answer.body)")
        #expect(try await server.enter(.login, with: ClaimedAccount.mail).status == 200)
        let stored = try await server.identity(id)
        #expect(stored.reclaimedAt != nil)
        #expect(stored.recovery.map(\.address) == [.ownersMail])
        #expect(stored.verifiable.map(\.address) == [.ownersMail])
        #expect(String(decoding: stored.traits, as: UTF8.self) == #"{"email":"owner@example.org"}"#)
    }

    @Test func `The address is kept as the earlier user typed it`() async throws {
        let claimed = try await ClaimedAccount(typing: "Owner@Example.ORG")
        #expect(try await claimed.enter(.login, with: ClaimedAccount.mail).status == 200)
        let stored = try await claimed.identity()
        #expect(stored.reclaimedAt != nil)
        #expect(String(decoding: stored.traits, as: UTF8.self) == #"{"email":"Owner@Example.ORG"}"#)
        #expect(stored.waivedFields == ["traits.phone"])
    }

    @Test func `The earlier user's certificates and flows end with the takeover`() async throws {
        let claimed = try await ClaimedAccount()
        let now = claimed.server.time.now
        try await claimed.server.resources.database.transaction { transaction in
            _ = try transaction.execute(
                """
                INSERT INTO certificates (serial, session_id, identity_id, key_thumbprint, issued_at, not_after) \
                VALUES ($1, $2, $3, $1, $4, $5)
                """,
                .blob([UInt8](repeating: 1, count: 16)),
                .identifier(Identifier(high: 1, low: 2)),
                .identifier(claimed.account),
                .time(now),
                .time(now + .seconds(86_400))
            )
        }
        let login = try await claimed.enter(.login, with: ClaimedAccount.mail)
        #expect(login.status == 200)
        let open = try await claimed.server.resources.database.rows(
            """
            SELECT serial FROM certificates WHERE revoked_at IS NULL \
            UNION ALL SELECT id FROM flows WHERE identity_id = $1 AND completed_at IS NULL AND created_at < $2
            """,
            .identifier(claimed.account),
            .time(claimed.server.time.now)
        )
        #expect(open.isEmpty)
        #expect(try await claimed.actions().contains(.addressVerified))
        let token = try #require(login.sessionToken)
        let answer = await claimed.server.get("/account/export", token: token)
        let export = try JSONCoding.decode(AccountExportBody.self, from: answer.response.body)
        #expect(export.certificates.isEmpty)
    }

    @Test func `The export starts with the takeover`() async throws {
        let (claimed, token) = try await reclaim()
        claimed.server.time.advance(by: .seconds(1))
        await claimed.server.messagesAreSent()
        let answer = await claimed.server.get("/account/export", token: token)
        #expect(answer.status == 200)
        let text = String(decoding: answer.response.body, as: UTF8.self)
        for trace in ["Earlier User", ClaimedAccount.phone, "gold", "identity.created", "traits.changed"] {
            #expect(!text.contains(trace), "\(trace)")
        }
        let body = try JSONCoding.decode(AccountExportBody.self, from: answer.response.body)
        #expect(body.sessions.count == 1)
        #expect(body.events.contains { $0.action == "account.reclaimed" })
        #expect(await claimed.server.get("/sessions", token: token).body == .array([]))
    }

    @Test func `Another account can use the earlier user's other address`() async throws {
        let (claimed, _) = try await reclaim()
        let traits: JSONValue = .object([
            "email": "back@example.org", "phone": .string(ClaimedAccount.phone),
        ])
        let body: JSONValue = .object([
            "method": "password", "password": .string(SelfServiceServer.password), "traits": traits,
        ])
        let answer = try await claimed.server.submit(
            .registration,
            await claimed.server.begin(.registration),
            body
        )
        #expect(answer.status == 200, "\(answer.body)")
    }
}
