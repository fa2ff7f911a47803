import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Stores purchases.
enum PurchaseRepository {
    /// The columns that are read for a purchase.
    ///
    /// The order of the columns matters, because rows are read by position.
    private static let columns: SQL = """
        id, identity_id, idempotency_key, fingerprint, product_id, kind, quantity, amount, currency, country_code, \
        payment_method_id, payment_token, is_confirmed, state, failure, created_at, updated_at, purchased_at, \
        refunded_at, finished_at, due_at, version, detached_at
        """

    private static let byID: SQL = "SELECT \(columns) FROM purchases WHERE id = $1"

    private static let byKey: SQL = """
        SELECT \(columns) FROM purchases WHERE identity_id = $1 AND idempotency_key = $2 AND detached_at IS NULL
        """

    private static let insertion: SQL = """
        INSERT INTO purchases (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, \
        $16, $17, $18, $19, $20, $21, $22, $23) ON CONFLICT DO NOTHING
        """

    private static let openPurchase: SQL = """
        SELECT \(columns) FROM purchases WHERE identity_id = $1 AND detached_at IS NULL AND product_id = $2 \
        AND kind = 'non_consumable' AND state IN ('purchasing', 'deferred', 'purchased')
        """

    private static let page: SQL = """
        SELECT \(columns) FROM purchases WHERE identity_id = $1 AND detached_at IS NULL AND (created_at, id) > ($2, $3) \
        ORDER BY created_at, id LIMIT $4
        """

    private static let unfinishedPage: SQL = """
        SELECT \(columns) FROM purchases WHERE identity_id = $1 AND detached_at IS NULL AND finished_at IS NULL \
        AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT $4
        """

    private static let owned: SQL = """
        SELECT \(columns) FROM purchases WHERE identity_id = $1 AND detached_at IS NULL AND kind = 'non_consumable' \
        AND state = 'purchased' ORDER BY created_at, id LIMIT $2
        """

    private static let charged: SQL = """
        SELECT \(columns) FROM purchases WHERE identity_id = $1 AND detached_at IS NULL AND state IN ('purchased', 'refunded') \
        ORDER BY created_at DESC, id DESC LIMIT $2
        """

    private static let due: SQL = """
        SELECT \(columns) FROM purchases WHERE due_at <= $1 OR (due_at > $3 AND state = 'purchasing') \
        ORDER BY due_at LIMIT $2
        """

    private static let list: SQL = """
        SELECT \(columns) FROM purchases WHERE (created_at, id) < ($1, $2) \
        ORDER BY created_at DESC, id DESC LIMIT $3
        """

    private static let listOfIdentity: SQL = """
        SELECT \(columns) FROM purchases WHERE identity_id = $4 AND (created_at, id) < ($1, $2) \
        ORDER BY created_at DESC, id DESC LIMIT $3
        """

    private static let listInState: SQL = """
        SELECT \(columns) FROM purchases WHERE state = $4 AND (created_at, id) < ($1, $2) \
        ORDER BY created_at DESC, id DESC LIMIT $3
        """

    private static let listOfIdentityInState: SQL = """
        SELECT \(columns) FROM purchases WHERE identity_id = $4 AND state = $5 AND (created_at, id) < ($1, $2) \
        ORDER BY created_at DESC, id DESC LIMIT $3
        """

    // MARK: Reading

    /// Returns the purchase with the given id, or `nil` if it doesn't exist.
    ///
    /// This method doesn't use a transaction.
    static func find(_ id: Identifier, in database: any Database) async throws(DatabaseError) -> Purchase? {
        try await first(database.rows(byID, .identifier(id)))
    }

    /// Returns the purchase with the given id, or `nil` if it doesn't exist.
    static func find(_ id: Identifier, in transaction: borrowing Transaction) throws(DatabaseError)
        -> Purchase?
    {
        try first(transaction.rows(byID, .identifier(id)))
    }

    /// Returns the account's purchase with the given idempotency key, or `nil` if the key is new.
    static func find(
        key: String,
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Purchase? {
        try first(transaction.rows(byKey, .identifier(identity), .text(key)))
    }

    /// Returns an account's purchase of a non-consumable product that either succeeded or is still in
    /// progress.
    static func open(
        _ product: String,
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Purchase? {
        try first(transaction.rows(openPurchase, .identifier(identity), .text(product)))
    }

    /// Returns the account's purchases after a position, oldest first.
    static func page(
        of identity: Identifier,
        onlyUnfinished: Bool,
        after position: PurchasePosition?,
        limit: Int,
        in database: any Database
    ) async throws -> [Purchase] {
        let position = position ?? .start
        return try await database.rows(
            onlyUnfinished ? unfinishedPage : page,
            .identifier(identity),
            .time(position.time),
            .identifier(position.id),
            .integer(Int64(limit))
        ).map(Purchase.init(row:))
    }

    /// Returns the non-consumable purchases that the account owns, oldest first.
    static func owned(by identity: Identifier, limit: Int, in database: any Database) async throws
        -> [Purchase]
    {
        try await database.rows(owned, .identifier(identity), .integer(Int64(limit))).map(Purchase.init(row:))
    }

    /// Returns the non-consumable purchases that the account owns, oldest first.
    static func owned(
        by identity: Identifier,
        limit: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [Purchase] {
        try all(transaction.rows(owned, .identifier(identity), .integer(Int64(limit))))
    }

    /// Returns the account's most recent purchases that were charged, newest first.
    static func charged(to identity: Identifier, limit: Int, in database: any Database) async throws
        -> [Purchase]
    {
        try await database.rows(charged, .identifier(identity), .integer(Int64(limit))).map(
            Purchase.init(row:)
        )
    }

    /// Returns the purchases that are due and don't have a final result, starting with the most overdue.
    ///
    /// A purchase that is being charged is also due if it is reserved for longer than a lease allows, because the
    /// clock was ahead when it was reserved.
    static func due(at now: Timestamp, limit: Int, in database: any Database) async throws -> [Purchase] {
        try await database.rows(
            due,
            .time(now),
            .integer(Int64(limit)),
            .time(PurchaseProcessor.latestLease(at: now))
        ).map(Purchase.init(row:))
    }

    /// Returns purchases before a position, newest first.
    ///
    /// - Parameters:
    ///   - identity: The account, or `nil` for all accounts.
    ///   - state: The state to filter by, or `nil` for all states.
    ///   - position: The list contains only purchases before this position. Pass `nil` for the first page.
    ///   - limit: The maximum number of purchases.
    ///   - database: The database to read from.
    /// - Returns: The purchases. The last page may contain fewer than `limit` purchases.
    /// - Throws: ``DatabaseError``.
    static func list(
        of identity: Identifier?,
        in state: TransactionState?,
        before position: PurchasePosition?,
        limit: Int,
        in database: any Database
    ) async throws -> [Purchase] {
        let position = position ?? .end
        let page: [SQLValue] = [.time(position.time), .identifier(position.id), .integer(Int64(limit))]
        let rows: [Row]
        switch (identity, state) {
        case (nil, nil): rows = try await database.rows(list, page)
        case (let identity?, nil):
            rows = try await database.rows(listOfIdentity, page + [.identifier(identity)])
        case (nil, let state?): rows = try await database.rows(listInState, page + [.text(state.rawValue)])
        case (let identity?, let state?):
            rows = try await database.rows(
                listOfIdentityInState,
                page + [.identifier(identity), .text(state.rawValue)]
            )
        }
        return try rows.map(Purchase.init(row:))
    }

    // MARK: Writing

    /// Stores a new purchase, unless the key has been used before or the account already owns the product.
    ///
    /// - Returns: Whether the purchase was stored.
    static func insert(_ purchase: Purchase, in transaction: borrowing Transaction) throws(DatabaseError)
        -> Bool
    {
        try transaction.execute(
            insertion,
            .identifier(purchase.id),
            .identifier(purchase.identityID),
            .text(purchase.idempotencyKey),
            .blob(purchase.fingerprint),
            .text(purchase.productID),
            .text(purchase.kind.rawValue),
            .integer(Int64(purchase.quantity)),
            .integer(purchase.price.amount),
            .text(purchase.price.currency.code),
            .text(purchase.region.code),
            .identifier(purchase.paymentMethodID),
            .optional(purchase.paymentToken?.exposed),
            .bool(purchase.state.isConfirmed),
            .text(purchase.state.state.rawValue),
            .optional(purchase.state.failure?.rawValue),
            .time(purchase.createdAt),
            .time(purchase.updatedAt),
            .time(purchase.purchasedAt),
            .time(purchase.refundedAt),
            .time(purchase.finishedAt),
            .time(purchase.dueAt),
            .integer(purchase.version),
            .time(purchase.detachedAt)
        ) == 1
    }

    /// Returns a number that increases whenever a purchase is added to the account or changed.
    static func revision(of identity: Identifier, in database: any Database) async throws(DatabaseError)
        -> Int64
    {
        let rows = try await database.rows(
            """
            SELECT CAST(COUNT(*) + COALESCE(SUM(version), 0) AS BIGINT) FROM purchases \
            WHERE identity_id = $1 AND detached_at IS NULL
            """,
            .identifier(identity)
        )
        return try rows.first?.integer(0) ?? 0
    }

    /// Stores the new state of a purchase, unless the purchase has been changed since it was read.
    ///
    /// The card's token is deleted when the purchase has a final result.
    ///
    /// - Parameters:
    ///   - purchase: The updated purchase, which still has the version number that was read.
    ///   - transaction: The database transaction that the change is stored in.
    /// - Returns: Whether the state was stored.
    /// - Throws: ``DatabaseError``.
    static func save(_ purchase: Purchase, in transaction: borrowing Transaction) throws(DatabaseError)
        -> Bool
    {
        try transaction.execute(
            """
            UPDATE purchases SET state = $1, failure = $2, is_confirmed = $3, updated_at = $4, purchased_at = $5, \
            refunded_at = $6, due_at = $7, version = version + 1, \
            payment_token = CASE WHEN $8 = 1 THEN NULL ELSE payment_token END \
            WHERE id = $9 AND version = $10
            """,
            .text(purchase.state.state.rawValue),
            .optional(purchase.state.failure?.rawValue),
            .bool(purchase.state.isConfirmed),
            .time(purchase.updatedAt),
            .time(purchase.purchasedAt),
            .time(purchase.refundedAt),
            .time(purchase.dueAt),
            .bool(purchase.state.canBeFinished),
            .identifier(purchase.id),
            .integer(purchase.version)
        ) == 1
    }

    /// Reserves a purchase that is due, so that no other node processes it until the lease expires.
    ///
    /// - Returns: Whether the purchase was reserved.
    static func take(
        _ purchase: Purchase,
        until end: Timestamp,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE purchases SET due_at = $1 WHERE id = $2 AND version = $3 \
            AND (due_at <= $4 OR (due_at > $5 AND state = 'purchasing'))
            """,
            .time(end),
            .identifier(purchase.id),
            .integer(purchase.version),
            .time(now),
            .time(PurchaseProcessor.latestLease(at: now))
        ) == 1
    }

    /// Records that the app has delivered the content.
    ///
    /// Recording the delivery again has no effect.
    static func finish(_ purchase: Identifier, at now: Timestamp, in transaction: borrowing Transaction)
        throws(DatabaseError)
    {
        try transaction.execute(
            """
            UPDATE purchases SET finished_at = $1, version = version + 1 \
            WHERE id = $2 AND finished_at IS NULL AND state IN ('purchased', 'failed', 'refunded')
            """,
            .time(now),
            .identifier(purchase)
        )
    }

    /// Cancels deferred purchases whose payment method was removed.
    ///
    /// - Parameters:
    ///   - method: The payment method, or `nil` for all of the account's payment methods.
    ///   - identity: The account.
    ///   - now: The current time.
    ///   - transaction: The database transaction in which the payment method is removed.
    /// - Throws: ``DatabaseError``.
    static func cancelDeferred(
        paidWith method: Identifier?,
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let (cancelled, values): (SQL, [SQLValue]) =
            if let method {
                ("\(cancellation) AND payment_method_id = $4", [.identifier(method)])
            } else {
                (cancellation, [])
            }
        let common: [SQLValue] = [
            .text(TransactionFailure.cancelled.rawValue), .time(now), .identifier(identity),
        ]
        try transaction.execute(cancelled, values: common + values)
    }

    private static let cancellation: SQL = """
        UPDATE purchases SET state = 'failed', failure = $1, \
        updated_at = CASE WHEN updated_at > $2 THEN updated_at ELSE $2 END, due_at = NULL, payment_token = NULL, \
        version = version + 1 WHERE identity_id = $3 AND state = 'deferred'
        """

    /// Hides an account's purchases from its user, and deletes their payment tokens so that they cannot be
    /// charged again.
    ///
    /// Operators still see the purchases and can refund them.
    static func detachAll(of identity: Identifier, at now: Timestamp, in transaction: borrowing Transaction)
        throws(DatabaseError)
    {
        try transaction.execute(
            """
            UPDATE purchases SET detached_at = $1, payment_token = NULL, version = version + 1 \
            WHERE identity_id = $2 AND detached_at IS NULL
            """,
            .time(now),
            .identifier(identity)
        )
    }

    /// Deletes all of an account's purchases.
    static func deleteAll(of identity: Identifier, in transaction: borrowing Transaction)
        throws(DatabaseError)
    {
        try transaction.execute("DELETE FROM purchases WHERE identity_id = $1", .identifier(identity))
    }

    private static func first(_ rows: [Row]) throws(DatabaseError) -> Purchase? {
        guard let row = rows.first else { return nil }
        return try Purchase(row: row)
    }

    private static func all(_ rows: [Row]) throws(DatabaseError) -> [Purchase] {
        var purchases: [Purchase] = []
        for row in rows { purchases.append(try Purchase(row: row)) }
        return purchases
    }
}
