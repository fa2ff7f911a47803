import LatchkeyServerKit

extension Migration {
    /// Creates the tables for refresh token families, signing keys and the replay cache of DPoP proofs.
    static let oauth = Migration(
        version: 5,
        name: "oauth",
        sqlite: [
            // The tokens themselves aren't stored. `used` is the highest number of a used token.
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
                alg TEXT NOT NULL,
                number INTEGER NOT NULL,
                signs_from INTEGER NOT NULL,
                public_key BLOB NOT NULL,
                sealed BLOB NOT NULL,
                created_at INTEGER NOT NULL,
                PRIMARY KEY (alg, number)
            ) STRICT
            """,
            """
            CREATE TABLE seen_proofs (
                fingerprint BLOB PRIMARY KEY,
                expires_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
        ] + proofIndexes,
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
                alg TEXT COLLATE "C" NOT NULL,
                number BIGINT NOT NULL,
                signs_from BIGINT NOT NULL,
                public_key BYTEA NOT NULL,
                sealed BYTEA NOT NULL,
                created_at BIGINT NOT NULL,
                PRIMARY KEY (alg, number)
            )
            """,
            """
            CREATE TABLE seen_proofs (
                fingerprint BYTEA PRIMARY KEY,
                expires_at BIGINT NOT NULL
            )
            """,
        ] + proofIndexes
    )

    private static let proofIndexes: [SQL] = [
        "CREATE INDEX seen_proofs_expiry ON seen_proofs (expires_at)"
    ]
}
