import LatchkeyServerKit

extension Migration {
    /// Adds the time at which a purchase was detached because a new owner reclaimed the account.
    ///
    /// The new owner can use the same idempotency keys and buy the same products, so the unique indexes no longer
    /// include detached purchases.
    static let detachment = Migration(
        version: 18,
        name: "purchase detachment",
        sqlite: ["ALTER TABLE purchases ADD COLUMN detached_at INTEGER"] + indexes,
        postgreSQL: ["ALTER TABLE purchases ADD COLUMN detached_at BIGINT"] + indexes
    )

    /// The statements that are the same in both dialects.
    private static let indexes: [SQL] = [
        "DROP INDEX purchases_order",
        "DROP INDEX purchases_owned",
        """
        CREATE UNIQUE INDEX purchases_order ON purchases (identity_id, idempotency_key) WHERE detached_at IS NULL
        """,
        """
        CREATE UNIQUE INDEX purchases_owned ON purchases (identity_id, product_id) \
        WHERE kind = 'non_consumable' AND state IN ('purchasing', 'deferred', 'purchased') AND detached_at IS NULL
        """,
    ]
}
