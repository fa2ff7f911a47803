import LatchkeyServerKit

extension Migration {
    /// Creates the tables for flows, one-time codes and terms.
    static let selfService = Migration(
        version: 4,
        name: "self-service",
        sqlite: [
            """
            CREATE TABLE flows (
                id BLOB PRIMARY KEY,
                kind TEXT NOT NULL,
                type TEXT NOT NULL,
                schema_id TEXT NOT NULL,
                state TEXT NOT NULL,
                request_url TEXT NOT NULL,
                return_to TEXT,
                login_challenge BLOB,
                refresh INTEGER NOT NULL,
                aal TEXT NOT NULL,
                active TEXT,
                form BLOB,
                traits BLOB,
                address TEXT,
                verified_phone TEXT,
                proven TEXT,
                identity_id BLOB,
                session_id BLOB,
                client_id TEXT,
                issued_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                completed_at INTEGER,
                created_at INTEGER NOT NULL,
                updated_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE codes (
                flow_id BLOB PRIMARY KEY,
                via TEXT NOT NULL,
                address TEXT NOT NULL,
                identity_id BLOB,
                code_mac BLOB NOT NULL,
                attempts INTEGER NOT NULL,
                asked_from TEXT,
                issued_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                valid_until INTEGER NOT NULL,
                used_at INTEGER
            ) STRICT, WITHOUT ROWID
            """,
        ] + selfServiceIndexes + termsInSQLite + termsEvidenceInSQLite,
        postgreSQL: [
            """
            CREATE TABLE flows (
                id BYTEA PRIMARY KEY,
                kind TEXT COLLATE "C" NOT NULL,
                type TEXT COLLATE "C" NOT NULL,
                schema_id TEXT COLLATE "C" NOT NULL,
                state TEXT COLLATE "C" NOT NULL,
                request_url TEXT COLLATE "C" NOT NULL,
                return_to TEXT COLLATE "C",
                login_challenge BYTEA,
                refresh BIGINT NOT NULL,
                aal TEXT COLLATE "C" NOT NULL,
                active TEXT COLLATE "C",
                form BYTEA,
                traits BYTEA,
                address TEXT COLLATE "C",
                verified_phone TEXT COLLATE "C",
                proven TEXT COLLATE "C",
                identity_id BYTEA,
                session_id BYTEA,
                client_id TEXT COLLATE "C",
                issued_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                completed_at BIGINT,
                created_at BIGINT NOT NULL,
                updated_at BIGINT NOT NULL
            )
            """,
            """
            CREATE TABLE codes (
                flow_id BYTEA PRIMARY KEY,
                via TEXT COLLATE "C" NOT NULL,
                address TEXT COLLATE "C" NOT NULL,
                identity_id BYTEA,
                code_mac BYTEA NOT NULL,
                attempts BIGINT NOT NULL,
                asked_from TEXT COLLATE "C",
                issued_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                valid_until BIGINT NOT NULL,
                used_at BIGINT
            )
            """,
        ] + selfServiceIndexes + termsInPostgreSQL + termsEvidenceInPostgreSQL
    )

    private static let selfServiceIndexes: [SQL] = [
        "CREATE INDEX flows_identity ON flows (identity_id) WHERE identity_id IS NOT NULL",
        "CREATE INDEX flows_expiry ON flows (expires_at)",
        // The clean-up deletes unfinished flows without an account earlier than the others.
        """
        CREATE INDEX flows_unfinished ON flows (expires_at)
        WHERE identity_id IS NULL AND completed_at IS NULL
        """,
        "CREATE INDEX codes_address ON codes (address)",
        "CREATE INDEX codes_identity ON codes (identity_id) WHERE identity_id IS NOT NULL",
        "CREATE INDEX codes_expiry ON codes (expires_at)",
    ]
}
