import LatchkeyModel
import LatchkeySQLite
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeySelfService
@testable import LatchkeyServerKit

@Suite(.onEachDatabase) struct `Identity repository` {
    private let server: SelfServiceServer
    private var database: any Database { server.resources.database }
    private var now: Timestamp { server.time.now }

    init() async throws {
        server = try await SelfServiceServer()
    }

    private func identity(_ number: Int) throws -> Identity {
        Identity(
            schema: try schema,
            traits: try traits(SelfServiceServer.traits(number)),
            verified: [],
            at: now,
            random: SystemRandom()
        )
    }

    private var schema: IdentitySchema {
        get throws { server.resources.schemas.standard }
    }

    private func traits(_ value: JSONValue) throws -> Traits {
        try .valid(value, for: try schema)
    }

    private var repository: IdentityRepository { IdentityRepository(database: database) }

    private func insert(_ number: Int) async throws -> Identity {
        let identity = try identity(number)
        try await database.transaction { transaction in
            try IdentityRepository.insert(identity, passwordHash: "hash", in: transaction)
        }
        return identity
    }

    private func load(_ id: Identifier) async throws -> Identity? {
        try await database.transaction { transaction in try IdentityRepository.load(id, in: transaction) }
    }

    private func save(_ new: Identity, replacing old: Identity) async throws {
        try await database.transaction { transaction in
            try IdentityRepository.save(new, replacing: old, in: transaction)
        }
    }

    private func changed(_ identity: Identity, _ members: [String: JSONValue]) throws -> Identity {
        identity.with(
            traits: try traits(.object(members)),
            schema: try schema,
            at: now,
            random: SystemRandom()
        )
    }

    @Test func `Identities are loaded exactly as they were stored`() async throws {
        let identity = try identity(1)
            .with(publicMetadata: Array("[1]".utf8), adminMetadata: Array("{}".utf8), at: now)
            .with(externalID: "crm-1", at: now)
            .verifying(address: "person1@example.org", at: now)
        try await database.transaction { transaction in
            try IdentityRepository.insert(identity, passwordHash: nil, in: transaction)
        }

        #expect(try await load(identity.id) == identity)
        #expect(try await load(Identifier()) == nil)
    }

    @Test func `Saving a change updates identifiers, addresses and the identity in sessions`() async throws {
        let old = try await insert(1)
        server.time.advance(by: .seconds(60))
        let new = try changed(old, ["email": "new@example.org", "phone": "+46701000001"])
            .verifying(address: "+46701000001", at: now)
        try await save(new, replacing: old)

        let read = try #require(try await load(old.id))
        #expect(read.record.body == new.record.body)
        #expect(read.verifiable == new.verifiable)
        #expect(try await repository.find(identifier: "person1@example.org") == nil)
        #expect(try await repository.find(identifier: "new@example.org")?.identity.id == old.id)
        #expect(try await repository.find(old.id)?.body == new.record.body)
    }

    @Test func `Every change preserves the order of addresses`() async throws {
        let old = try await insert(1)
        let without = try changed(old, ["email": "other@example.org", "phone": "+46701000001"])
        try await save(without, replacing: old)
        let between = try #require(try await load(old.id))
        let again = try changed(between, SelfServiceServer.traits(1).members ?? [:])
        try await save(again, replacing: between)

        let read = try #require(try await load(old.id))
        #expect(read.verifiable.map(\.address.value) == old.verifiable.map(\.address.value))
        #expect(read.record.body == again.record.body)
    }

    @Test func `A change that is based on an outdated identity is rejected`() async throws {
        let old = try await insert(1)
        try await save(
            try changed(old, ["email": "first@example.org", "phone": "+46701000001"]),
            replacing: old
        )
        let late = try changed(old, ["email": "second@example.org", "phone": "+46701000001"])
        let error = await #expect(throws: DatabaseError.self) { try await save(late, replacing: old) }
        #expect(error?.code == .overloaded)

        #expect(try await load(old.id)?.identifiers == ["+46701000001", "first@example.org"])
        #expect(try await repository.find(identifier: "second@example.org") == nil)
    }

    @Test func `Concurrent changes are all applied`() async throws {
        let id = try await insert(1).id
        try await withThrowingTaskGroup(of: Identity?.self) { group in
            for _ in 0..<20 {
                group.addTask { [database, now] in
                    try await database.transaction { transaction in
                        try IdentityRepository.change(id, in: transaction) { identity in
                            let metadata = (identity.publicMetadata ?? []) + [UInt8(ascii: "1")]
                            return identity.with(publicMetadata: metadata, adminMetadata: nil, at: now)
                        }
                    }
                }
            }
            for try await changed in group { #expect(changed != nil) }
        }
        #expect(try await load(id)?.publicMetadata?.count == 20)
        let missing = try await database.transaction { transaction in
            try IdentityRepository.change(Identifier(), in: transaction) { $0 }
        }
        #expect(missing == nil)
    }

    @Test(arguments: ["email", "external"])
    func `A change with another identity's identifier is rolled back`(what: String) async throws {
        _ = try await insert(1)
        let other = try await insert(2)
        let owner = try await insert(3)
        try await save(owner.with(externalID: "crm", at: now), replacing: owner)
        let new =
            what == "email"
            ? try changed(other, SelfServiceServer.traits(1).members ?? [:])
            : other.with(externalID: "crm", at: now)

        await #expect(throws: IdentityRepository.Duplicate.self) { try await save(new, replacing: other) }
        #expect(try await load(other.id) == other)
    }

    @Test func `A password can be set, replaced and removed`() async throws {
        let identity = try identity(1)
        let id = identity.id
        let now = now
        let hashes = try await database.transaction { transaction in
            try IdentityRepository.insert(identity, passwordHash: nil, in: transaction)
            var hashes = [try IdentityRepository.passwordHash(of: id, in: transaction)]
            for hash in ["one", "two"] {
                try IdentityRepository.setPassword(hash, of: id, at: now, in: transaction)
                hashes.append(try IdentityRepository.passwordHash(of: id, in: transaction))
            }
            hashes.append(try IdentityRepository.removePassword(of: id, in: transaction) ? "gone" : "there")
            hashes.append(try IdentityRepository.passwordHash(of: id, in: transaction))
            return hashes
        }

        #expect(hashes == [nil, "one", "two", "gone", nil])
    }

    private func stored(_ id: Identifier) async throws -> Identity? {
        try await database.transaction { try IdentityRepository.load(id, in: $0) }
    }

    /// A query for the column names of the `identities` table.
    private static var columnNames: SQL {
        switch TestDatabase.current {
        case .postgreSQL:
            """
            SELECT attname::text FROM pg_attribute \
            WHERE attrelid = 'identities'::regclass AND attnum > 0 AND NOT attisdropped
            """
        default: "SELECT name FROM pragma_table_info('identities')"
        }
    }

    @Test func `Each column of the identities table is listed exactly once`() async throws {
        let columns = Set(try await database.rows(Self.columnNames).map { row in try row.text(0) })
        let listed = "\(IdentityColumns.names)".split(separator: ", ").map(String.init)

        #expect(Set(listed).count == listed.count)
        // These columns are changed by statements of their own.
        #expect(Set(listed + ["id", "region_changed_at", "agreements", "lapses_at"]) == columns)
        #expect(listed.count == IdentityColumns.values(of: try identity(1), version: 0).count)
    }

    @Test func `Inserting or changing an identity stores all of its members`() async throws {
        let later = now + .seconds(1)
        let complete = try identity(1).with(
            publicMetadata: Array("{}".utf8),
            adminMetadata: Array("[1]".utf8),
            at: later
        ).with(externalID: "external", at: later).with(reclaimedAt: later)
            .waiving(["traits.phone", "traits.name"])
            .vouched(at: later + .seconds(1))
            .verifying(address: "person1@example.org", at: later + .seconds(2))
        try await database.transaction {
            try IdentityRepository.insert(complete, passwordHash: nil, in: $0)
        }
        let inserted = try #require(await stored(complete.id))
        #expect(inserted == complete)

        let changed = inserted.with(state: .inactive, at: later + .seconds(3))
            .withdrawing(verificationOf: "person1@example.org", at: later + .seconds(3))
            .with(publicMetadata: nil, adminMetadata: nil, at: later + .seconds(4))
            .with(externalID: nil, at: later + .seconds(4))
            .with(reclaimedAt: later + .seconds(5)).with(confirmedAt: later + .seconds(6))
            .waiving(["traits.email"])
        try await database.transaction {
            try IdentityRepository.save(changed, replacing: inserted, in: $0)
        }
        let reread = try #require(await stored(complete.id))
        #expect(reread.version == inserted.version + 1)
        #expect(
            IdentityColumns.values(of: reread, version: 0) == IdentityColumns.values(of: changed, version: 0)
        )
        #expect(reread.verifiable == changed.verifiable && reread.recovery == changed.recovery)
        #expect(reread.identifiers == changed.identifiers && reread.addressStates == changed.addressStates)
    }

    @Test func `Deleting an identity deletes all of its rows`() async throws {
        try await server.register(1)
        let answer = try await server.register(2)
        let id = try #require(answer["identity"]?["id"]?.text.flatMap { Identifier($0) })
        let token = try #require(answer["session_token"]?.text)
        _ = await server.begin(.login, "?refresh=true", token: token)
        let flows = try await server.count("flows")
        let addresses = try await server.count("addresses")
        let identity = try #require(await stored(id))
        let erasure = server.assembly.accounts.erasure
        let delete = { @Sendable [database, now] in
            try await database.transaction { try erasure.erase(identity, at: now, in: $0) }
        }

        #expect(try await delete())
        #expect(try await delete() == false)
        for (table, left) in [
            ("identities", 1), ("identifiers", 2), ("passwords", 1), ("sessions", 1),
            ("addresses", addresses / 2),
            ("flows", flows - 1),
        ] as [(String, Int64)] {
            #expect(try await server.count(table) == left, "\(table)")
        }
        #expect(await server.get("/sessions/whoami", token: token).status == 401)
        #expect(try await server.login("person2@example.org").messages == [.invalidCredentials])
        #expect(try await server.login("person1@example.org").status == 200)
        #expect(try await server.register(2).status == 200)
    }
}
