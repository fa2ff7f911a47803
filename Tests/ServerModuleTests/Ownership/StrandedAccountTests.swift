import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Accounts that lose an address", .onEachDatabase)
struct StrandedAccountTests {
    private func strand() async throws -> ClaimedAccount {
        let claimed = try await ClaimedAccount()
        for (address, other) in [
            (ClaimedAccount.mail, ["email": JSONValue.string(ClaimedAccount.mail), "phone": "+46709000002"]),
            (ClaimedAccount.phone, ["email": "third@example.org", "phone": .string(ClaimedAccount.phone)]),
        ] {
            await claimed.pause()
            let flow = await claimed.server.begin(.registration)
            var body: [String: JSONValue] = [
                "method": "password", "password": .string(SelfServiceServer.password),
                "traits": .object(other),
            ]
            _ = try await claimed.server.submit(.registration, flow, .object(body))
            body["code"] = .string(try await claimed.server.code(for: address))
            #expect(try await claimed.server.submit(.registration, flow, .object(body)).status == 200)
        }
        return claimed
    }

    private func cleanUp(_ claimed: ClaimedAccount) async throws -> Int {
        let server = claimed.server
        return try await server.assembly.accounts.erasure.eraseStranded(
            at: server.time.now,
            atMost: 10,
            in: server.resources.database
        )
    }

    @Test func `An account that has lost all addresses keeps its session and is asked for an address`()
        async throws
    {
        let claimed = try await strand()
        let me = await claimed.server.get("/sessions/whoami", token: claimed.attackersToken)
        #expect(me.status == 200)
        #expect(me["duties"]?.first?["kind"] == "complete_profile")
        #expect(me["duties"]?.first?["fields"] == ["traits.email", "traits.phone"])
        #expect(try await cleanUp(claimed) == 0)

        let answer = try await claimed.server.change(
            traits: ["email": "fresh@example.org"],
            token: claimed.attackersToken
        )
        #expect(answer["state"] == "success", "\(answer.body)")
        let after = await claimed.server.get("/sessions/whoami", token: claimed.attackersToken)
        #expect(after["duties"]?.first?["fields"] == ["traits.phone"])
        _ = try await claimed.server.logOut(claimed.attackersToken)
        #expect(try await cleanUp(claimed) == 0)
    }

    @Test func `Other traits can be changed before an address is entered`() async throws {
        let claimed = try await strand()
        let answer = try await claimed.server.change(
            traits: ["name": "Ann"],
            token: claimed.attackersToken
        )
        #expect(answer["state"] == "success", "\(answer.body)")
    }

    @Test func `The account is erased when its last session has ended`() async throws {
        let claimed = try await strand()
        _ = try await claimed.server.logOut(claimed.attackersToken)
        #expect(try await cleanUp(claimed) == 1)
        #expect(try await claimed.server.count("identities") == 2)
        #expect(try await claimed.actions().contains(.deleted))
        #expect(try await cleanUp(claimed) == 0)
    }

    @Test func `The account is erased when its last session has expired`() async throws {
        let claimed = try await strand()
        claimed.server.time.advance(by: .seconds(29 * 86_400))
        #expect(try await cleanUp(claimed) == 0)
        claimed.server.time.advance(by: .seconds(2 * 86_400))
        #expect(try await cleanUp(claimed) == 1)
    }

    @Test func `The clean-up erases the account`() async throws {
        let claimed = try await strand()
        _ = try await claimed.server.logOut(claimed.attackersToken)
        #expect(try await claimed.server.assembly.cleanUp.round()?[.accounts] == 1)
    }

    /// A server with an account that has lost its only address, which was optional.
    private func strandOptional() async throws -> (server: SelfServiceServer, token: String) {
        let schema = """
            {"type": "object", "properties": {"traits": {"type": "object", "properties": {
              "email": {"type": "string", "format": "email", "ory.sh/kratos": {
                "credentials": {"password": {"identifier": true}},
                "recovery": {"via": "email"}, "verification": {"via": "email"}}},
              "phone": {"type": "string", "format": "tel", "ory.sh/kratos": {
                "verification": {"via": "sms"}}}}}}}
            """
        let server = try await SelfServiceServer(schema: "own", schemas: ["own": schema]) {
            $0.changes.verifiedFirst = .never
        }
        var body: [String: JSONValue] = [
            "method": "password", "password": .string(SelfServiceServer.password),
            "traits": .object(["email": .string(ClaimedAccount.mail)]),
        ]
        let first = try await server.submit(.registration, await server.begin(.registration), .object(body))
        let token = try #require(first.sessionToken, "\(first.body)")
        let flow = await server.begin(.registration)
        _ = try await server.submit(.registration, flow, .object(body))
        body["code"] = .string(try await server.code(for: ClaimedAccount.mail))
        #expect(try await server.submit(.registration, flow, .object(body)).status == 200)
        return (server, token)
    }

    @Test func `An address that is no way in can be added to an account that has none`() async throws {
        let (server, token) = try await strandOptional()
        let answer = try await server.change(traits: ["phone": "+46701000009"], token: token)
        #expect(answer["state"] == "success", "\(answer.body)")
    }

    @Test func `An account is also erased if the address that it has lost was optional`() async throws {
        let (server, token) = try await strandOptional()
        _ = try await server.logOut(token)
        let erased = try await server.assembly.accounts.erasure.eraseStranded(
            at: server.time.now,
            atMost: 10,
            in: server.resources.database
        )
        #expect(erased == 1)
    }

    @Test func `The lost field may be missing however the address was typed`() async throws {
        let claimed = try await ClaimedAccount(typing: "Owner@Example.ORG")
        let traits: [String: JSONValue] = ["email": .string(ClaimedAccount.mail), "phone": "+46709000002"]
        _ = try await claimed.signUp(traits, code: ClaimedAccount.mail)
        #expect(try await claimed.identity().waivedFields == ["traits.email"])
    }

    @Test func `A change that waits for a code needs no value for the lost field`() async throws {
        let claimed = try await ClaimedAccount { $0.changes.verifiedFirst = .always }
        let traits: [String: JSONValue] = ["email": .string(ClaimedAccount.mail), "phone": "+46709000002"]
        _ = try await claimed.signUp(traits, code: ClaimedAccount.mail)
        await claimed.pause()
        let asked = try await claimed.server.change(
            traits: ["phone": "+46709000003"],
            token: claimed.attackersToken
        )
        let flow = try #require(ClaimedAccount.verifications(asked)["+46709000003"], "\(asked.body)")
        let code = JSONValue.string(try await claimed.server.code(for: "+46709000003"))
        let done = try await claimed.server.submitCode(.verification, flow, ["code": code])
        #expect(done["state"] == "passed_challenge", "\(done.body)")
        #expect(try await claimed.identity().identifiers == ["+46709000003"])
    }

    @Test func `A lost address that is submitted again stays lost`() async throws {
        let claimed = try await ClaimedAccount()
        let traits: [String: JSONValue] = ["email": .string(ClaimedAccount.mail), "phone": "+46709000002"]
        _ = try await claimed.signUp(traits, code: ClaimedAccount.mail)
        let answer = try await claimed.server.change(
            traits: [
                "email": .string(ClaimedAccount.mail), "phone": .string(ClaimedAccount.phone), "name": "Ann",
            ],
            token: claimed.attackersToken
        )
        #expect(answer["state"] == "success", "\(answer.body)")
        let stored = try await claimed.identity()
        #expect(stored.identifiers == [ClaimedAccount.phone])
        #expect(stored.waivedFields == ["traits.email"])
    }

    @Test func `Only the lost field may be missing`() async throws {
        let claimed = try await ClaimedAccount()
        let traits: [String: JSONValue] = ["email": .string(ClaimedAccount.mail), "phone": "+46709000002"]
        _ = try await claimed.signUp(traits, code: ClaimedAccount.mail)
        let token = claimed.attackersToken
        #expect(try await claimed.identity().waivedFields == ["traits.email"])
        let without = try await claimed.server.change(
            traits: ["phone": .string(ClaimedAccount.phone), "name": "Ann"],
            token: token
        )
        #expect(without["state"] == "success", "\(without.body)")
        let missing = try await claimed.server.change(traits: ["name": "Ann"], token: token)
        #expect(missing.status == 400)
        #expect(missing.messages("traits.phone") == [.missing])
        // Once the field has a new value, it is required again.
        let added = try await claimed.server.change(
            traits: ["email": "fresh@example.org", "phone": .string(ClaimedAccount.phone)],
            token: token
        )
        #expect(added["state"] == "success", "\(added.body)")
        let again = try await claimed.server.change(
            traits: ["phone": .string(ClaimedAccount.phone)],
            token: token
        )
        #expect(again.messages("traits.email") == [.missing])
    }

    @Test func `An account that can't be read doesn't prevent others from being erased`() async throws {
        let claimed = try await strand()
        _ = try await claimed.server.logOut(claimed.attackersToken)
        // Accounts are erased in the order of their ids, and this one is the first.
        try await claimed.server.resources.database.transaction { [account = claimed.account] transaction in
            _ = try transaction.execute(
                """
                INSERT INTO identities (id, schema_id, state, traits, body, state_changed_at, created_at, \
                updated_at, version, duties) SELECT $1, schema_id, state, traits, body, state_changed_at, \
                created_at, updated_at, version, duties FROM identities WHERE id = $2
                """,
                .identifier(.nilUUID),
                .identifier(account)
            )
            _ = try transaction.execute(
                "INSERT INTO address_states (identity_id, via, value, state) VALUES ($1, 'sms', '+1', 'new')",
                .identifier(.nilUUID)
            )
        }
        await #expect(throws: DatabaseError.self) { _ = try await cleanUp(claimed) }
        #expect(try await claimed.server.count("identities") == 3)
    }
}
