import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Claims that are read with one statement` {
    private static let query: SQL = """
        SELECT p.created_at, \(IdentityClaims.columns) FROM passwords p \
        JOIN identities i ON i.id = p.identity_id \(IdentityClaims.join) WHERE p.identity_id = $1
        """

    /// Reads an identity's claims together with another table, as the userinfo endpoint does.
    private func claims(_ id: Identifier, on server: SelfServiceServer, schemas: SchemaCatalog? = nil)
        async throws -> JSONValue
    {
        let rows = try await server.resources.database.rows(Self.query, .identifier(id))
        let catalog = schemas ?? server.resources.schemas
        let claims = try #require(try IdentityClaims(rows: rows, at: 1, schemas: catalog))
        var writer = JSONWriter()
        writer.object { claims.write(for: ["profile", "email", "phone"], to: &$0) }
        return try JSONCoding.decode(JSONValue.self, from: writer.bytes)
    }

    private func claims(of account: ClaimedAccount) async throws -> JSONValue {
        try await claims(account.account, on: account.server)
    }

    @Test func `All claims of an account with several addresses are read`() async throws {
        let account = try await ProvenAccount()
        let claims = try await claims(account.id, on: account.server)

        #expect(claims["email"]?.text == ProvenAccount.mail)
        #expect(claims["phone_number"]?.text == ProvenAccount.phone)
        #expect(claims["email_verified"] == true && claims["phone_number_verified"] == true)
        let identity = try await account.server.identity(account.id)
        #expect(claims["updated_at"] == .integer(identity.updatedAt.seconds))
    }

    @Test func `An account whose addresses have no state is read`() async throws {
        let account = try await ClaimedAccount()
        let claims = try await claims(of: account)

        #expect(claims["email"]?.text == ClaimedAccount.mail)
        #expect(claims["email_verified"] == false && claims["phone_number_verified"] == false)
    }

    @Test func `Another account's addresses don't count`() async throws {
        let account = try await ClaimedAccount()
        let answer = try await account.server.register(2)
        try await account.server.confirmAll()
        try await account.server.resources.database.transaction { transaction in
            _ = try transaction.execute(
                "DELETE FROM address_states WHERE identity_id = $1",
                .identifier(account.account)
            )
        }
        let other = try #require(answer["identity"]?["id"]?.text.flatMap { Identifier($0) })

        #expect(try await claims(of: account)["email_verified"] == false)
        #expect(try await claims(other, on: account.server)["email_verified"] == true)
    }

    @Test func `An account whose schema was removed has no claims`() async throws {
        let account = try await ProvenAccount()
        try await account.server.resources.database.transaction { transaction in
            _ = try transaction.execute("UPDATE identities SET schema_id = 'removed'")
        }
        guard case .object(let members) = try await claims(account.id, on: account.server) else {
            Issue.record("no object")
            return
        }
        #expect(Array(members.keys) == ["updated_at"])
    }

    @Test func `An unknown account has no claims`() async throws {
        let server = try await SelfServiceServer()
        let rows = try await server.resources.database.rows(Self.query, .identifier(Identifier()))
        #expect(try IdentityClaims(rows: rows, at: 1, schemas: server.resources.schemas) == nil)
    }

    // MARK: Attacks

    /// The attacker signs up with the owner's address and waits for the owner to press the button in the mail.
    @Test func `The owner's click doesn't verify the address for the attacker`() async throws {
        let account = try await ClaimedAccount()
        _ = try await account.enter(.verification, with: ClaimedAccount.mail)

        #expect(try await account.identity().isProven(.ownersMail))
        #expect(try await claims(of: account)["email_verified"] == false)
    }

    @Test func `Confirming the account after the owner's click doesn't verify the address`() async throws {
        let account = try await ClaimedAccount()
        _ = try await account.enter(.verification, with: ClaimedAccount.mail)
        _ = try await account.verifyInside(ClaimedAccount.phone)

        let claims = try await claims(of: account)
        #expect(claims["phone_number_verified"] == true)
        #expect(claims["email_verified"] == false)
    }

    @Test func `Confirming the account before the owner's click doesn't verify the address`() async throws {
        let account = try await ClaimedAccount()
        _ = try await account.verifyInside(ClaimedAccount.phone)
        _ = try await account.enter(.verification, with: ClaimedAccount.mail)

        // The API shows the address as verified.
        #expect(
            try await account.identity().verifiable.first { $0.address == .ownersMail }?.isVerified == true
        )
        #expect(try await claims(of: account)["email_verified"] == false)
    }

    @Test func `An address that its owner has proven elsewhere is no longer a claim`() async throws {
        let account = try await ClaimedAccount()
        let answer = try await account.signUp(
            ["email": .string(ClaimedAccount.mail), "phone": "+46709000002"],
            code: ClaimedAccount.mail
        )
        #expect(answer.status == 200, "\(answer.body)")

        let claims = try await claims(of: account)
        #expect(claims["email"] == nil && claims["email_verified"] == nil)
        #expect(claims["phone_number"]?.text == ClaimedAccount.phone)
    }
}
