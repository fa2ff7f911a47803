package import LatchkeyServerKit

extension Migration {
    /// Creates the tables for refresh token families and access token signing keys.
    ///
    /// In each family, `used` is the highest token number that has been used. The refresh tokens themselves
    /// are not stored. `sealed` is an encrypted private key, and `public_key` is the matching public key.
    package static let tokens = Migration(
        version: 2,
        name: "tokens",
        sqlite: [
            """
            CREATE TABLE token_families (
                session_id BLOB PRIMARY KEY,
                key_thumbprint BLOB NOT NULL,
                used INTEGER NOT NULL,
                opened_at INTEGER NOT NULL,
                used_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE signing_keys (
                number INTEGER PRIMARY KEY,
                signs_from INTEGER NOT NULL,
                public_key BLOB NOT NULL,
                sealed BLOB NOT NULL,
                created_at INTEGER NOT NULL
            ) STRICT
            """,
        ],
        postgreSQL: [
            """
            CREATE TABLE token_families (
                session_id BYTEA PRIMARY KEY,
                key_thumbprint BYTEA NOT NULL,
                used BIGINT NOT NULL,
                opened_at BIGINT NOT NULL,
                used_at BIGINT NOT NULL
            )
            """,
            """
            CREATE TABLE signing_keys (
                number BIGINT PRIMARY KEY,
                signs_from BIGINT NOT NULL,
                public_key BYTEA NOT NULL,
                sealed BYTEA NOT NULL,
                created_at BIGINT NOT NULL
            )
            """,
        ]
    )
}
