package import LatchkeyCrypto
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Stores the registered OAuth clients.
package enum ClientRepository {
    /// Selects the clients in a list.
    ///
    /// Both values are compared exactly. `nil` selects all clients.
    package struct Filter: Sendable {
        package var name: String?
        package var owner: String?

        package init(name: String? = nil, owner: String? = nil) {
            (self.name, self.owner) = (name, owner)
        }
    }

    private static let columns: SQL =
        "id, metadata, secret, previous_secret, previous_secret_until, created_at, updated_at"

    private static let byID: SQL = "SELECT \(columns) FROM clients WHERE id = $1"

    private static let holding: SQL = "\(byID) FOR SHARE"

    private static let page: SQL = """
        SELECT \(columns) FROM clients WHERE id > $1 AND ($2 = 0 OR name = $3) AND ($4 = 0 OR owner = $5) \
        ORDER BY id LIMIT $6
        """

    /// Returns the client with the given id, or `nil` if there is none.
    package static func find(_ id: String, in database: any Database) async throws(DatabaseError)
        -> OAuthClient?
    {
        guard let row = try await database.rows(byID, .text(id)).first else { return nil }
        return try OAuthClient(row: row)
    }

    /// Returns the client with the given id, or `nil` if there is none.
    package static func load(
        _ id: String,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> OAuthClient? {
        guard let row = try transaction.rows(byID, .text(id)).first else { return nil }
        return try OAuthClient(row: row)
    }

    /// Returns whether a client exists and isn't disabled, and makes changes of clients wait for the
    /// transaction.
    ///
    /// A cached client may have been removed in the meantime. Its grants end in the transaction that removes
    /// it, which would miss those that are stored at the same time. Transactions that hold the same client
    /// don't wait for each other.
    package static func hold(
        _ id: String,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let statement =
            switch transaction.dialect {
            // There is only one writer.
            case .sqlite: byID
            case .postgreSQL: holding
            }
        guard let row = try transaction.rows(statement, .text(id)).first else { return false }
        return try !OAuthClient(row: row).isDisabled
    }

    /// Waits for the transactions that hold clients, and makes new ones wait.
    ///
    /// This must be the first statement of a transaction that ends the grants of a client. PostgreSQL takes the
    /// snapshot of the transaction only after it, so the transaction finds all grants.
    package static func lock(in transaction: borrowing Transaction) throws(DatabaseError) {
        switch transaction.dialect {
        case .sqlite: break
        case .postgreSQL: try transaction.execute("LOCK TABLE clients IN EXCLUSIVE MODE")
        }
    }

    /// Returns clients in the order of their ids.
    ///
    /// - Parameters:
    ///   - filter: The values that the clients must have.
    ///   - id: The last client of the previous page, or an empty string for the first page.
    ///   - limit: The maximum number of clients.
    ///   - database: The database to read from.
    /// - Returns: The clients.
    /// - Throws: ``DatabaseError``.
    package static func clients(
        _ filter: Filter,
        after id: String,
        limit: Int,
        in database: any Database
    ) async throws(DatabaseError) -> [OAuthClient] {
        let rows = try await database.rows(
            page,
            .text(id),
            .bool(filter.name != nil),
            .text(filter.name ?? ""),
            .bool(filter.owner != nil),
            .text(filter.owner ?? ""),
            .integer(Int64(limit))
        )
        var clients: [OAuthClient] = []
        for row in rows { clients.append(try OAuthClient(row: row)) }
        return clients
    }

    /// Returns whether there are clients whose ID tokens are signed with an algorithm.
    package static func hasClients(
        using algorithm: SigningAlgorithm,
        in database: any Database
    ) async throws(DatabaseError) -> Bool {
        try await database.rows(
            "SELECT 1 FROM clients WHERE id_token_alg = $1 LIMIT 1",
            .text(algorithm.rawValue)
        ).first != nil
    }

    /// Returns whether a client that isn't disabled has registered an origin.
    static func hasOrigin(_ origin: String, in database: any Database) async throws(DatabaseError) -> Bool {
        try await !database.rows(
            "SELECT 1 FROM client_origins WHERE origin = $1 LIMIT 1",
            .text(origin)
        ).isEmpty
    }

    /// Stores a new client, and returns `false` if another client has its id.
    package static func insert(
        _ client: OAuthClient,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let inserted = try transaction.execute(
            """
            INSERT INTO clients (id, name, owner, metadata, id_token_alg, secret, previous_secret, \
            previous_secret_until, created_at, updated_at) \
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO NOTHING
            """,
            .text(client.id),
            .text(client.metadata.name),
            .text(client.metadata.owner),
            .blob(client.metadata.json),
            .optional(client.metadata.getsIDTokens ? client.metadata.idTokenAlgorithm.rawValue : nil),
            .optional(client.secrets.current?.text),
            .optional(client.secrets.previous?.text),
            .time(client.secrets.previousUntil),
            .time(client.createdAt),
            .time(client.updatedAt)
        )
        guard inserted == 1 else { return false }
        try insertOrigins(of: client, in: transaction)
        return true
    }

    /// Replaces a client, and returns `false` if it doesn't exist.
    @discardableResult
    package static func update(
        _ client: OAuthClient,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let updated = try transaction.execute(
            """
            UPDATE clients SET name = $1, owner = $2, metadata = $3, id_token_alg = $4, secret = $5, \
            previous_secret = $6, previous_secret_until = $7, updated_at = $8 WHERE id = $9
            """,
            .text(client.metadata.name),
            .text(client.metadata.owner),
            .blob(client.metadata.json),
            .optional(client.metadata.getsIDTokens ? client.metadata.idTokenAlgorithm.rawValue : nil),
            .optional(client.secrets.current?.text),
            .optional(client.secrets.previous?.text),
            .time(client.secrets.previousUntil),
            .time(client.updatedAt),
            .text(client.id)
        )
        guard updated == 1 else { return false }
        try transaction.execute("DELETE FROM client_origins WHERE client_id = $1", .text(client.id))
        try insertOrigins(of: client, in: transaction)
        return true
    }

    /// Stores the origins of a client's web pages, unless the client is disabled.
    private static func insertOrigins(
        of client: OAuthClient,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        guard !client.isDisabled else { return }
        for origin in client.metadata.corsOrigins {
            try transaction.execute(
                "INSERT INTO client_origins (origin, client_id) VALUES ($1, $2)",
                .text(origin),
                .text(client.id)
            )
        }
    }

    /// Deletes a client, and returns `false` if it doesn't exist.
    package static func delete(
        _ id: String,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute("DELETE FROM clients WHERE id = $1", .text(id)) == 1
    }
}

extension OAuthClient {
    fileprivate init(row: Row) throws(DatabaseError) {
        let metadata: ClientMetadata
        do {
            metadata = try ClientMetadata(
                try JSONParser.parse(try row.blob(1), from: .storage),
                rules: nil
            )
        } catch let error as DatabaseError {
            throw error
        } catch {
            throw DatabaseError(.mismatch, message: "The stored metadata of a client cannot be read.")
        }
        self.init(
            id: try row.text(0),
            metadata: metadata,
            secrets: ClientSecrets(
                try row.optional(2, as: Row.text).map(ClientSecretHash.init(stored:)),
                previous: try row.optional(3, as: Row.text).map(ClientSecretHash.init(stored:)),
                until: try row.optional(4, as: Row.time)
            ),
            createdAt: try row.time(5),
            updatedAt: try row.time(6)
        )
    }
}
