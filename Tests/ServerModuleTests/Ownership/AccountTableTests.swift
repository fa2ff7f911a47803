import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// The tables with data about accounts, and the rules for their rows.
///
/// A new table must be added here, with its rules. Otherwise, its rows could survive the account, be missing
/// from the user's export, or be shown to the next owner of the account.
@Suite("Tables with data about accounts", .onEachDatabase)
struct AccountTableTests {
    /// The treatment of the rows when the account is taken over.
    enum Takeover: Sendable {
        /// The rows are deleted.
        case deleted
        /// The rows are replaced or reduced to what belongs to the new owner.
        case replaced
        /// The rows stay, but nothing shows them to the new owner.
        case hidden
    }

    struct Rule: Sendable {
        /// The member of the export that contains the rows, or `nil` if they contain only hashes or secrets.
        let export: String?
        let takeover: Takeover
        /// Whether the rows are deleted with the account.
        var isErased = true
    }

    static let rules: [String: Rule] = [
        "identities": Rule(export: "identity", takeover: .replaced),
        "identifiers": Rule(export: "identity", takeover: .replaced),
        "addresses": Rule(export: "identity", takeover: .replaced),
        "address_states": Rule(export: "addresses", takeover: .replaced),
        "passwords": Rule(export: "password", takeover: .deleted),
        "credentials": Rule(export: "credentials", takeover: .deleted),
        "known_networks": Rule(export: "known_networks", takeover: .replaced),
        "sessions": Rule(export: "sessions", takeover: .hidden),
        "replaced_tokens": Rule(export: nil, takeover: .hidden),
        "certificates": Rule(export: "certificates", takeover: .hidden),
        "flows": Rule(export: "flows", takeover: .hidden),
        "codes": Rule(export: "codes", takeover: .hidden),
        "messages": Rule(export: "messages", takeover: .hidden),
        "token_families": Rule(export: "token_families", takeover: .hidden),
        "grants": Rule(export: "grants", takeover: .hidden),
        "consents": Rule(export: "consents", takeover: .deleted),
        // The requests of clients are deleted within an hour.
        "authorization_requests": Rule(export: nil, takeover: .hidden),
        // The codes expire after a minute.
        "handover_codes": Rule(export: nil, takeover: .deleted),
        "payment_methods": Rule(export: "payment_methods", takeover: .deleted),
        "purchases": Rule(export: "transactions", takeover: .hidden),
        // The answers are evidence; when the account is erased, they lose their session.
        "terms_evidence": Rule(export: "agreements", takeover: .hidden, isErased: false),
        // The audit log is evidence; it contains the account's id and keyed hashes of its addresses.
        "audit": Rule(export: "events", takeover: .hidden, isErased: false),
    ]

    /// The names of columns that contain data about an account.
    private static let columns: Set<String> = [
        "identity_id", "session_id", "identifier", "address", "recipient", "phone", "verified_phone", "email",
        "account_id", "user_id", "subject",
    ]

    /// A column of a table.
    private struct Column {
        let table: String
        let name: String
        let type: String
        let isRequired: Bool
    }

    private static let sqliteColumns: SQL = """
        SELECT m.name, p.name, upper(p.type), CASE WHEN p."notnull" = 1 OR p.pk > 0 THEN 1 ELSE 0 END \
        FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' ORDER BY m.name, p.cid
        """

    private static let postgreSQLColumns: SQL = """
        SELECT table_name::text, column_name::text, upper(data_type)::text, \
        (CASE WHEN is_nullable = 'NO' THEN 1 ELSE 0 END)::bigint \
        FROM information_schema.columns WHERE table_schema = current_schema() \
        ORDER BY table_name, ordinal_position
        """

    private func columns(_ server: SelfServiceServer) async throws -> [Column] {
        let dialect = try await server.resources.database.transaction { $0.dialect }
        let sql = dialect == .sqlite ? Self.sqliteColumns : Self.postgreSQLColumns
        return try await server.resources.database.rows(sql).map { row in
            Column(
                table: try row.text(0),
                name: try row.text(1),
                type: try row.text(2),
                isRequired: try row.integer(3) == 1
            )
        }
    }

    private func accountTables(_ server: SelfServiceServer) async throws -> Set<String> {
        Set(try await columns(server).filter { Self.columns.contains($0.name) }.map(\.table))
            .union(["identities"])
    }

    /// Adds a table that no module knows.
    private func addTable(_ server: SelfServiceServer) async throws {
        try await server.resources.database.transaction { transaction in
            let isSQLite = transaction.dialect == .sqlite
            _ = try transaction.execute(
                isSQLite
                    ? "CREATE TABLE favourites (id BLOB PRIMARY KEY, identity_id BLOB NOT NULL, note TEXT)"
                    : "CREATE TABLE favourites (id BYTEA PRIMARY KEY, identity_id BYTEA NOT NULL, note TEXT)"
            )
        }
    }

    /// Removes the table again, because tests share their PostgreSQL databases.
    private func removeTable(_ server: SelfServiceServer) async throws {
        try await server.resources.database.transaction { transaction in
            _ = try transaction.execute("DROP TABLE favourites")
        }
    }

    /// Adds a row about the account to a table, with made-up values in all other required columns.
    private func addRow(to table: String, of columns: [Column], about account: ProvenAccount) async throws {
        let session = try #require(
            await account.server.get("/sessions/whoami", token: account.token)["id"]?.text.flatMap {
                Identifier($0)
            }
        )
        let required = columns.filter { $0.table == table }.filter { column in
            column.isRequired || column.name == "identity_id" || column.name == "session_id"
        }
        let values = required.enumerated().map { number, column -> SQLValue in
            switch column.name {
            case "identity_id": .identifier(account.id)
            case "session_id": .identifier(session)
            default:
                switch column.type {
                case "BLOB", "BYTEA": .identifier(Identifier())
                case "TEXT": .text("made-up \(number)")
                default: .integer(Int64(number + 1))
                }
            }
        }
        let names = SQL.list(required.map { SQL.name($0.name) })
        let places = SQL.list(required.indices.map { SQL.place($0 + 1) })
        let insertion: SQL = "INSERT INTO \(SQL.name(table)) (\(names)) VALUES (\(places))"
        try await account.server.resources.database.transaction { transaction in
            _ = try transaction.execute(insertion, values: values)
        }
    }

    /// Returns how many rows of a table are about the account.
    private func count(
        _ table: String,
        of columns: [Column],
        about account: ProvenAccount,
        sessions: [Identifier]
    )
        async throws -> Int
    {
        let names = Set(columns.filter { $0.table == table }.map(\.name))
        let database = account.server.resources.database
        if names.contains("identity_id") {
            let sql: SQL = "SELECT 1 FROM \(SQL.name(table)) WHERE identity_id = $1"
            return try await database.rows(sql, .identifier(account.id)).count
        }
        if names.contains("session_id") {
            var total = 0
            let sql: SQL = "SELECT 1 FROM \(SQL.name(table)) WHERE session_id = $1"
            for session in sessions { total += try await database.rows(sql, .identifier(session)).count }
            return total
        }
        return try await database.rows("SELECT 1 FROM identities WHERE id = $1", .identifier(account.id))
            .count
    }

    private func sessions(of account: ProvenAccount) async throws -> [Identifier] {
        try await account.server.resources.database.rows(
            "SELECT id FROM sessions WHERE identity_id = $1",
            .identifier(account.id)
        ).map { try $0.identifier(0) }
    }

    @Test func `Each table with data about accounts has rules`() async throws {
        let server = try await SelfServiceServer()
        #expect(try await accountTables(server).sorted() == Self.rules.keys.sorted())
        try await addTable(server)
        #expect(try await accountTables(server).subtracting(Self.rules.keys) == ["favourites"])
        try await removeTable(server)
    }

    @Test func `Erasing an account deletes its rows from all tables without evidence`() async throws {
        let account = try await ProvenAccount()
        try await addTable(account.server)
        let columns = try await columns(account.server)
        let sessions = try await sessions(of: account)
        let tables = try await accountTables(account.server)
        for table in tables
        where try await count(table, of: columns, about: account, sessions: sessions) == 0 {
            try await addRow(to: table, of: columns, about: account)
        }
        for table in tables {
            #expect(try await count(table, of: columns, about: account, sessions: sessions) > 0, "\(table)")
        }
        #expect(await account.operate(.delete).status == 204)
        var left: Set<String> = []
        for table in tables
        where try await count(table, of: columns, about: account, sessions: sessions) > 0 {
            left.insert(table)
        }
        // The table that no module knows shows that the test would detect a forgotten one.
        #expect(left == Set(Self.rules.filter { !$0.value.isErased }.keys).union(["favourites"]))
        try await removeTable(account.server)
    }

    @Test func `A takeover deletes what the earlier user could use again`() async throws {
        let account = try await ProvenAccount(proving: [])
        let columns = try await columns(account.server)
        let sessions = try await sessions(of: account)
        let deleted = Self.rules.filter { $0.value.takeover == .deleted }.keys
        for table in deleted
        where try await count(table, of: columns, about: account, sessions: sessions) == 0 {
            try await addRow(to: table, of: columns, about: account)
        }
        #expect(try await account.server.enter(.login, with: ProvenAccount.mail).status == 200)
        #expect(try await account.identity().reclaimedAt != nil)
        for table in deleted {
            #expect(try await count(table, of: columns, about: account, sessions: sessions) == 0, "\(table)")
        }
    }

    @Test func `The export has a member for each table`() async throws {
        let account = try await ProvenAccount()
        let members = Set(
            await account.server.get("/account/export", token: account.token).body.members?.keys ?? [:].keys
        )
        let optional: Set<String> = ["payment_methods", "transactions"]
        let expected = Set(Self.rules.values.compactMap(\.export)).subtracting(optional)
        #expect(expected.subtracting(members) == [])
    }
}

extension SQL {
    private static let letters: [Character: SQL] = [
        "a": "a", "b": "b", "c": "c", "d": "d", "e": "e", "f": "f", "g": "g", "h": "h", "i": "i", "j": "j",
        "k": "k", "l": "l", "m": "m", "n": "n", "o": "o", "p": "p", "q": "q", "r": "r", "s": "s", "t": "t",
        "u": "u", "v": "v", "w": "w", "x": "x", "y": "y", "z": "z", "_": "_", "0": "0", "1": "1", "2": "2",
        "3": "3", "4": "4", "5": "5", "6": "6", "7": "7", "8": "8", "9": "9",
    ]

    /// Returns the name of a table or column, which consists of small letters, digits and underscores.
    fileprivate static func name(_ name: String) -> SQL {
        name.reduce("") { sql, letter in "\(sql)\(letters[letter] ?? "?")" }
    }

    /// Returns the placeholder of a parameter.
    fileprivate static func place(_ number: Int) -> SQL { "$\(name(String(number)))" }

    fileprivate static func list(_ items: [SQL]) -> SQL {
        items.dropFirst().reduce(items.first ?? "") { list, item in "\(list), \(item)" }
    }
}
