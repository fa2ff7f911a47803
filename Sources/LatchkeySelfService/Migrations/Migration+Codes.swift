import LatchkeyServerKit

extension Migration {
    /// Extends the table of phone codes to all kinds of flows and addresses, and adds columns for an address
    /// and for traits to the flows table.
    static let codes = Migration(
        version: 5,
        name: "codes",
        sqlite: [
            """
            CREATE TABLE codes (
                flow_id BLOB PRIMARY KEY,
                via TEXT NOT NULL,
                address TEXT NOT NULL,
                identity_id BLOB,
                code_mac BLOB NOT NULL,
                attempts INTEGER NOT NULL,
                issued_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                valid_until INTEGER NOT NULL,
                used_at INTEGER
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX codes_expiry ON codes (expires_at)",
            """
            INSERT INTO codes
                (flow_id, via, address, identity_id, code_mac, attempts, issued_at, expires_at, valid_until, used_at)
            SELECT flow_id, 'sms', phone, NULL, code_mac, attempts, issued_at, expires_at, expires_at, used_at
            FROM phone_codes
            """,
            "DROP TABLE phone_codes",
            "ALTER TABLE flows ADD COLUMN address TEXT",
            "ALTER TABLE flows ADD COLUMN traits BLOB",
        ],
        postgreSQL: [
            """
            CREATE TABLE codes (
                flow_id BYTEA PRIMARY KEY,
                via TEXT COLLATE "C" NOT NULL,
                address TEXT COLLATE "C" NOT NULL,
                identity_id BYTEA,
                code_mac BYTEA NOT NULL,
                attempts BIGINT NOT NULL,
                issued_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                valid_until BIGINT NOT NULL,
                used_at BIGINT
            )
            """,
            "CREATE INDEX codes_expiry ON codes (expires_at)",
            """
            INSERT INTO codes
                (flow_id, via, address, identity_id, code_mac, attempts, issued_at, expires_at, valid_until, used_at)
            SELECT flow_id, 'sms', phone, NULL, code_mac, attempts, issued_at, expires_at, expires_at, used_at
            FROM phone_codes
            """,
            "DROP TABLE phone_codes",
            "ALTER TABLE flows ADD COLUMN address TEXT COLLATE \"C\"",
            "ALTER TABLE flows ADD COLUMN traits BYTEA",
        ]
    )
}
