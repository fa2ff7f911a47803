import LatchkeyServerKit

extension Migration {
    /// Creates the table of payments that are still open at the payment provider although their account was
    /// erased.
    ///
    /// The transaction's id is the reference that the payment provider knows.
    static let erasedPayments = Migration(
        version: 21,
        name: "erased payments",
        sqlite: [
            """
            CREATE TABLE erased_payments (
                transaction_id BLOB PRIMARY KEY,
                amount INTEGER NOT NULL,
                currency TEXT NOT NULL,
                due_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """
        ] + indexes,
        postgreSQL: [
            """
            CREATE TABLE erased_payments (
                transaction_id BYTEA PRIMARY KEY,
                amount BIGINT NOT NULL,
                currency TEXT COLLATE "C" NOT NULL,
                due_at BIGINT NOT NULL
            )
            """
        ] + indexes
    )

    /// The statements that are the same in both dialects.
    private static let indexes: [SQL] = [
        "CREATE INDEX erased_payments_due ON erased_payments (due_at)"
    ]
}
