import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Decoy hashes for unknown accounts` {
    private let server: SelfServiceServer

    init() async throws {
        server = try await SelfServiceServer()
    }

    /// Creates accounts.
    ///
    /// The first `imported` accounts have an imported hash.
    private func accounts(_ count: Int, imported: Int) async throws {
        for number in 0..<count {
            let hash = (number < imported ? "import:" : "quick2:") + "\(number)"
            try await server.database.transaction { transaction in
                let id = Identifier(random: SystemRandom())
                try transaction.execute(
                    """
                    INSERT INTO identities \
                    (id, schema_id, state, traits, body, version, state_changed_at, created_at, updated_at) \
                    VALUES ($1, 'person', 'active', $2, $2, 0, $3, $3, $3)
                    """,
                    .identifier(id),
                    .blob([]),
                    .time(server.time.now)
                )
                try transaction.execute(
                    "INSERT INTO passwords (identity_id, hash, created_at, updated_at) VALUES ($1, $2, $3, $3)",
                    .identifier(id),
                    .text(hash),
                    .time(server.time.now)
                )
            }
        }
    }

    /// Logs in with each identifier and returns the hashes that the passwords were checked against.
    private func checked(_ identifiers: [String]) async throws -> [String?] {
        let before = server.hasher.checked.count
        for identifier in identifiers {
            server.time.advance(by: .seconds(86_400))
            #expect(try await server.login(identifier).messages == [.invalidCredentials])
        }
        return Array(server.hasher.checked.dropFirst(before))
    }

    @Test func `On average, verifying a decoy hash costs as much as verifying a stored hash`() async throws {
        try await accounts(60, imported: 30)
        let identifiers = (0..<120).map { "unknown\($0)@example.org" }

        let first = try await checked(identifiers)
        let imported = first.filter { $0?.hasPrefix("import:") == true }.count

        // How often each account is picked depends on the gaps between random ids.
        #expect((20...100).contains(imported), "\(imported) of 120")
        #expect(Set(first).count > 20)
        #expect(try await checked(Array(identifiers.prefix(20))) == Array(first.prefix(20)))
    }

    @Test func `A matching decoy hash doesn't give access to any account`() async throws {
        _ = try await server.register(1)
        await server.messagesAreSent()
        let found = try await checked(["unknown@example.org"])

        #expect(found.count == 1)
        // This is the password of the only account.
        #expect(found.first??.hasPrefix("quick2:") == true)
    }

    @Test func `The hasher's own decoy is used while there are no accounts`() async throws {
        #expect(try await checked(["unknown@example.org"]) == [nil])
    }
}
