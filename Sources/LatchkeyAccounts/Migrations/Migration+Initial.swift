package import LatchkeyServerKit

extension Migration {
    /// Creates the tables for identities, flows, codes, sessions, certificates, messages and rate limits.
    ///
    /// Ids are stored as 16 bytes, times in microseconds since 1970, and Booleans as 0 or 1. Text is compared
    /// byte by byte.
    package static let initial = Migration(
        version: 1,
        name: "initial",
        sqlite: [
            """
            CREATE TABLE identities (
                id BLOB PRIMARY KEY,
                schema_id TEXT NOT NULL,
                state TEXT NOT NULL,
                traits BLOB NOT NULL,
                body BLOB NOT NULL,
                state_changed_at INTEGER NOT NULL,
                created_at INTEGER NOT NULL,
                updated_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE identifiers (
                identifier TEXT PRIMARY KEY,
                identity_id BLOB NOT NULL REFERENCES identities (id)
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX identifiers_identity ON identifiers (identity_id)",
            """
            CREATE TABLE passwords (
                identity_id BLOB PRIMARY KEY REFERENCES identities (id),
                hash TEXT NOT NULL,
                updated_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE addresses (
                id BLOB PRIMARY KEY,
                identity_id BLOB NOT NULL REFERENCES identities (id),
                kind TEXT NOT NULL,
                via TEXT NOT NULL,
                value TEXT NOT NULL,
                verified INTEGER NOT NULL,
                status TEXT NOT NULL,
                verified_at INTEGER,
                created_at INTEGER NOT NULL,
                updated_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE UNIQUE INDEX addresses_value ON addresses (kind, via, value)",
            "CREATE INDEX addresses_identity ON addresses (identity_id)",
            """
            CREATE TABLE flows (
                id BLOB PRIMARY KEY,
                kind TEXT NOT NULL,
                schema_id TEXT NOT NULL,
                state TEXT NOT NULL,
                request_url TEXT NOT NULL,
                return_to TEXT,
                active TEXT,
                ui BLOB,
                refresh INTEGER NOT NULL,
                aal TEXT NOT NULL,
                identity_id BLOB,
                verified_phone TEXT,
                issued_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                completed_at INTEGER,
                created_at INTEGER NOT NULL,
                updated_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX flows_expiry ON flows (expires_at)",
            """
            CREATE TABLE phone_codes (
                flow_id BLOB PRIMARY KEY,
                phone TEXT NOT NULL,
                code_mac BLOB NOT NULL,
                attempts INTEGER NOT NULL,
                issued_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                used_at INTEGER
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX phone_codes_expiry ON phone_codes (expires_at)",
            """
            CREATE TABLE sessions (
                token_hash BLOB PRIMARY KEY,
                id BLOB NOT NULL,
                identity_id BLOB NOT NULL REFERENCES identities (id),
                method TEXT NOT NULL,
                issued_at INTEGER NOT NULL,
                authenticated_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                needs_certificate INTEGER NOT NULL,
                device_id BLOB NOT NULL,
                ip_address TEXT NOT NULL,
                user_agent TEXT NOT NULL,
                revoked_at INTEGER
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE UNIQUE INDEX sessions_id ON sessions (id)",
            "CREATE INDEX sessions_identity ON sessions (identity_id)",
            "CREATE INDEX sessions_expiry ON sessions (expires_at)",
            """
            CREATE TABLE certificates (
                serial BLOB PRIMARY KEY,
                session_id BLOB NOT NULL,
                identity_id BLOB NOT NULL REFERENCES identities (id),
                key_thumbprint BLOB NOT NULL,
                issued_at INTEGER NOT NULL,
                not_after INTEGER NOT NULL,
                revoked_at INTEGER
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX certificates_session ON certificates (session_id)",
            "CREATE INDEX certificates_identity ON certificates (identity_id)",
            """
            CREATE TABLE messages (
                id BLOB PRIMARY KEY,
                channel TEXT NOT NULL,
                template TEXT NOT NULL,
                sealed BLOB,
                status TEXT NOT NULL,
                attempts INTEGER NOT NULL,
                due_at INTEGER NOT NULL,
                leased_until INTEGER NOT NULL,
                last_error TEXT,
                created_at INTEGER NOT NULL,
                updated_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX messages_due ON messages (status, due_at)",
            """
            CREATE TABLE limits (
                bucket BLOB PRIMARY KEY,
                stamps BLOB NOT NULL,
                expires_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX limits_expiry ON limits (expires_at)",
        ],
        postgreSQL: initialForPostgreSQL
    )
}
