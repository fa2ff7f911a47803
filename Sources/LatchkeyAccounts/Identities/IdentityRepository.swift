package import LatchkeyModel
package import LatchkeyServerKit

/// Stores identities with their identifiers, addresses and passwords.
package struct IdentityRepository: Sendable {
    /// An identity together with the password hash that a login is checked against.
    package struct Account: Sendable {
        /// The identity, which may be inactive.
        package let identity: IdentityRecord

        /// The password hash as a PHC string, or `nil` if the account has no password.
        package let passwordHash: String?
    }

    /// Thrown if another account already has one of the identifiers or addresses, or the external id.
    ///
    /// The transaction must be rolled back, because some rows may already have been written.
    package struct Duplicate: Error, Sendable {
        /// Creates an error that doesn't reveal which value is already taken.
        package init() {}
    }

    /// The columns that an ``IdentityRecord`` is read from.
    ///
    /// Queries must use the table alias `i`.
    private static let columns: SQL = "i.id, i.schema_id, i.state, i.body, i.duties, i.agreements"

    /// The columns that an ``Account`` is read from.
    static let accountColumns: SQL = "\(columns), p.hash"

    /// The end of a query that selects ``accountColumns`` for the identifier `$1`.
    ///
    /// All columns are null if there is no such account.
    static let fromIdentifier: SQL = """
        FROM (SELECT COALESCE((SELECT identity_id FROM identifiers WHERE identifier = $1), $2) AS id) n \
        LEFT JOIN identities i ON i.id = n.id LEFT JOIN passwords p ON p.identity_id = n.id
        """

    private static let byID: SQL = "SELECT \(columns) FROM identities i WHERE i.id = $1"

    private static let accountByIdentifier: SQL = "SELECT \(accountColumns) \(fromIdentifier)"

    /// The database that the instance methods read from, outside of transactions.
    let database: any Database

    /// Creates a repository whose instance methods read outside of transactions.
    package init(database: any Database) {
        self.database = database
    }

    /// Finds the account with a normalized identifier.
    ///
    /// If the identifier is unknown, the query looks up a random id instead, so the lookup always takes the
    /// same time.
    ///
    /// - Parameter identifier: The identifier, normalized by ``LoginIdentifier/normalize(_:)``.
    /// - Returns: The account, or `nil` if there is none.
    /// - Throws: ``DatabaseError``.
    package func find(identifier: String) async throws -> Account? {
        let rows = try await database.rows(
            Self.accountByIdentifier,
            .text(identifier),
            .identifier(Identifier())
        )
        return try rows.first.flatMap(Account.init(row:))
    }

    /// Finds an identity by its id.
    ///
    /// The identity may be inactive.
    ///
    /// - Returns: The identity, or `nil` if no identity has this id.
    /// - Throws: ``DatabaseError``.
    package func find(_ id: Identifier) async throws -> IdentityRecord? {
        try await database.rows(Self.byID, .identifier(id)).first.map(IdentityRecord.init(row:))
    }

    /// Returns an identity's login identifier.
    ///
    /// If the identity has several login identifiers, the first one in alphabetical order is returned. If the
    /// identity doesn't have any, the result is `nil`.
    ///
    /// - Throws: ``DatabaseError``.
    package func identifier(of identity: Identifier) async throws -> String? {
        let rows = try await database.rows(
            "SELECT identifier FROM identifiers WHERE identity_id = $1 ORDER BY identifier LIMIT 1",
            .identifier(identity)
        )
        return try rows.first?.text(0)
    }
}

extension IdentityRepository {
    /// Returns all login identifiers of an identity, in alphabetical order.
    package static func identifiers(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [String] {
        let rows = try transaction.rows(
            "SELECT identifier FROM identifiers WHERE identity_id = $1 ORDER BY identifier",
            .identifier(identity)
        )
        var identifiers: [String] = []
        for row in rows { identifiers.append(try row.text(0)) }
        return identifiers
    }
}

extension IdentityRepository.Account {
    /// Reads an account from the first seven columns of a row: the six columns of an identity and the
    /// password hash.
    ///
    /// - Returns: The account, or `nil` if the id is null.
    init?(row: Row) throws(DatabaseError) {
        guard try row.optional(0, as: Row.identifier) != nil else { return nil }
        self.init(identity: try IdentityRecord(row: row), passwordHash: try row.optional(6, as: Row.text))
    }
}
