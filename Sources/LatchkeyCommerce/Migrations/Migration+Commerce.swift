import LatchkeyServerKit

extension Migration {
    /// Creates the tables for payment methods, purchases and payments.
    static let commerce = Migration(
        version: 6,
        name: "commerce",
        sqlite: [
            """
            CREATE TABLE payment_methods (
                id BLOB PRIMARY KEY,
                identity_id BLOB NOT NULL REFERENCES identities (id),
                kind TEXT NOT NULL,
                token TEXT NOT NULL,
                brand TEXT NOT NULL,
                last_four TEXT NOT NULL,
                is_default INTEGER NOT NULL,
                created_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
            // Before a node processes a due purchase, it moves `due_at`, so that no other node processes the same
            // purchase. A result is only stored if `version`, which increases with every change, is still the same.
            """
            CREATE TABLE purchases (
                id BLOB PRIMARY KEY,
                identity_id BLOB NOT NULL REFERENCES identities (id),
                idempotency_key TEXT NOT NULL,
                fingerprint BLOB NOT NULL,
                product_id TEXT NOT NULL,
                kind TEXT NOT NULL,
                quantity INTEGER NOT NULL,
                amount INTEGER NOT NULL,
                currency TEXT NOT NULL,
                country_code TEXT NOT NULL,
                payment_method_id BLOB NOT NULL,
                payment_token TEXT,
                is_confirmed INTEGER NOT NULL,
                state TEXT NOT NULL,
                failure TEXT,
                version INTEGER NOT NULL,
                due_at INTEGER,
                created_at INTEGER NOT NULL,
                updated_at INTEGER NOT NULL,
                purchased_at INTEGER,
                refunded_at INTEGER,
                finished_at INTEGER,
                detached_at INTEGER
            ) STRICT, WITHOUT ROWID
            """,
            // Payments that are still open at the payment provider although their account was erased.
            """
            CREATE TABLE erased_payments (
                transaction_id BLOB PRIMARY KEY,
                amount INTEGER NOT NULL,
                currency TEXT NOT NULL,
                due_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE sandbox_payments (
                transaction_id BLOB PRIMARY KEY,
                amount INTEGER NOT NULL,
                currency TEXT,
                result TEXT NOT NULL,
                created_at INTEGER NOT NULL,
                refunded_at INTEGER
            ) STRICT, WITHOUT ROWID
            """,
        ] + purchaseIndexes,
        postgreSQL: [
            """
            CREATE TABLE payment_methods (
                id BYTEA PRIMARY KEY,
                identity_id BYTEA NOT NULL REFERENCES identities (id),
                kind TEXT COLLATE "C" NOT NULL,
                token TEXT COLLATE "C" NOT NULL,
                brand TEXT COLLATE "C" NOT NULL,
                last_four TEXT COLLATE "C" NOT NULL,
                is_default BIGINT NOT NULL,
                created_at BIGINT NOT NULL
            )
            """,
            """
            CREATE TABLE purchases (
                id BYTEA PRIMARY KEY,
                identity_id BYTEA NOT NULL REFERENCES identities (id),
                idempotency_key TEXT COLLATE "C" NOT NULL,
                fingerprint BYTEA NOT NULL,
                product_id TEXT COLLATE "C" NOT NULL,
                kind TEXT COLLATE "C" NOT NULL,
                quantity BIGINT NOT NULL,
                amount BIGINT NOT NULL,
                currency TEXT COLLATE "C" NOT NULL,
                country_code TEXT COLLATE "C" NOT NULL,
                payment_method_id BYTEA NOT NULL,
                payment_token TEXT COLLATE "C",
                is_confirmed BIGINT NOT NULL,
                state TEXT COLLATE "C" NOT NULL,
                failure TEXT COLLATE "C",
                version BIGINT NOT NULL,
                due_at BIGINT,
                created_at BIGINT NOT NULL,
                updated_at BIGINT NOT NULL,
                purchased_at BIGINT,
                refunded_at BIGINT,
                finished_at BIGINT,
                detached_at BIGINT
            )
            """,
            """
            CREATE TABLE erased_payments (
                transaction_id BYTEA PRIMARY KEY,
                amount BIGINT NOT NULL,
                currency TEXT COLLATE "C" NOT NULL,
                due_at BIGINT NOT NULL
            )
            """,
            """
            CREATE TABLE sandbox_payments (
                transaction_id BYTEA PRIMARY KEY,
                amount BIGINT NOT NULL,
                currency TEXT COLLATE "C",
                result TEXT COLLATE "C" NOT NULL,
                created_at BIGINT NOT NULL,
                refunded_at BIGINT
            )
            """,
        ] + purchaseIndexes
    )

    private static let purchaseIndexes: [SQL] = [
        "CREATE INDEX payment_methods_identity ON payment_methods (identity_id, created_at, id)",
        "CREATE UNIQUE INDEX payment_methods_default ON payment_methods (identity_id) WHERE is_default = 1",
        "CREATE INDEX purchases_identity ON purchases (identity_id, created_at, id)",
        "CREATE INDEX purchases_list ON purchases (created_at, id)",
        "CREATE INDEX purchases_due ON purchases (due_at) WHERE due_at IS NOT NULL",
        // The new owner of a reclaimed account can use the same keys and buy the same products, so the detached
        // purchases of the earlier owner don't count.
        """
        CREATE UNIQUE INDEX purchases_order ON purchases (identity_id, idempotency_key) WHERE detached_at IS NULL
        """,
        """
        CREATE UNIQUE INDEX purchases_owned ON purchases (identity_id, product_id) \
        WHERE kind = 'non_consumable' AND state IN ('purchasing', 'deferred', 'purchased') AND detached_at IS NULL
        """,
        "CREATE INDEX erased_payments_due ON erased_payments (due_at)",
    ]
}
