import LatchkeyServerKit

extension Migration {
    /// Creates the tables for refresh token families, signing keys, the replay cache of DPoP proofs, and the
    /// provider.
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
            // A client's authorization by a user. The code isn't stored, only its hash.
            """
            CREATE TABLE grants (
                id BLOB PRIMARY KEY,
                identity_id BLOB NOT NULL,
                client_id TEXT NOT NULL,
                session_id BLOB NOT NULL,
                is_offline INTEGER NOT NULL,
                scopes TEXT NOT NULL,
                authentications TEXT NOT NULL,
                authenticated_at INTEGER NOT NULL,
                redirect_uri TEXT NOT NULL,
                nonce TEXT,
                code_hash BLOB NOT NULL,
                code_challenge TEXT NOT NULL,
                code_expires_at INTEGER NOT NULL,
                redeemed_at INTEGER,
                key_thumbprint TEXT,
                used INTEGER NOT NULL,
                used_at INTEGER NOT NULL,
                created_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                ended_at INTEGER,
                exchanged_session_id BLOB,
                proven_address TEXT
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE revoked_access_tokens (
                id TEXT PRIMARY KEY,
                expires_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE consents (
                identity_id BLOB NOT NULL,
                client_id TEXT NOT NULL,
                scopes TEXT NOT NULL,
                session_id BLOB,
                created_at INTEGER NOT NULL,
                updated_at INTEGER NOT NULL,
                PRIMARY KEY (identity_id, client_id)
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE authorization_requests (
                id BLOB PRIMARY KEY,
                client_id TEXT NOT NULL,
                request BLOB NOT NULL,
                binding BLOB,
                uri_hash BLOB,
                session_id BLOB,
                requested_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                is_extended INTEGER NOT NULL,
                chosen_identity_id BLOB,
                grant_id BLOB,
                answered_at INTEGER
            ) STRICT, WITHOUT ROWID
            """,
            // A session of an app that a browser continues. A row is deleted when its code is used.
            """
            CREATE TABLE handover_codes (
                code_hash BLOB PRIMARY KEY,
                identity_id BLOB NOT NULL,
                session_id BLOB NOT NULL,
                source_client_id TEXT NOT NULL,
                client_id TEXT NOT NULL,
                redirect_uri TEXT NOT NULL,
                network BLOB NOT NULL,
                created_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
        ] + indexes,
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
            """
            CREATE TABLE grants (
                id BYTEA PRIMARY KEY,
                identity_id BYTEA NOT NULL,
                client_id TEXT COLLATE "C" NOT NULL,
                session_id BYTEA NOT NULL,
                is_offline BIGINT NOT NULL,
                scopes TEXT COLLATE "C" NOT NULL,
                authentications TEXT COLLATE "C" NOT NULL,
                authenticated_at BIGINT NOT NULL,
                redirect_uri TEXT COLLATE "C" NOT NULL,
                nonce TEXT COLLATE "C",
                code_hash BYTEA NOT NULL,
                code_challenge TEXT COLLATE "C" NOT NULL,
                code_expires_at BIGINT NOT NULL,
                redeemed_at BIGINT,
                key_thumbprint TEXT COLLATE "C",
                used BIGINT NOT NULL,
                used_at BIGINT NOT NULL,
                created_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                ended_at BIGINT,
                exchanged_session_id BYTEA,
                proven_address TEXT COLLATE "C"
            )
            """,
            """
            CREATE TABLE revoked_access_tokens (
                id TEXT COLLATE "C" PRIMARY KEY,
                expires_at BIGINT NOT NULL
            )
            """,
            """
            CREATE TABLE consents (
                identity_id BYTEA NOT NULL,
                client_id TEXT COLLATE "C" NOT NULL,
                scopes TEXT COLLATE "C" NOT NULL,
                session_id BYTEA,
                created_at BIGINT NOT NULL,
                updated_at BIGINT NOT NULL,
                PRIMARY KEY (identity_id, client_id)
            )
            """,
            """
            CREATE TABLE authorization_requests (
                id BYTEA PRIMARY KEY,
                client_id TEXT COLLATE "C" NOT NULL,
                request BYTEA NOT NULL,
                binding BYTEA,
                uri_hash BYTEA,
                session_id BYTEA,
                requested_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                is_extended BIGINT NOT NULL,
                chosen_identity_id BYTEA,
                grant_id BYTEA,
                answered_at BIGINT
            )
            """,
            """
            CREATE TABLE handover_codes (
                code_hash BYTEA PRIMARY KEY,
                identity_id BYTEA NOT NULL,
                session_id BYTEA NOT NULL,
                source_client_id TEXT COLLATE "C" NOT NULL,
                client_id TEXT COLLATE "C" NOT NULL,
                redirect_uri TEXT COLLATE "C" NOT NULL,
                network BYTEA NOT NULL,
                created_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL
            )
            """,
        ] + indexes
    )

    private static let indexes: [SQL] = [
        "CREATE INDEX seen_proofs_expiry ON seen_proofs (expires_at)",
        "CREATE UNIQUE INDEX grants_code ON grants (code_hash)",
        "CREATE INDEX grants_identity ON grants (identity_id, client_id)",
        "CREATE INDEX grants_client ON grants (client_id)",
        "CREATE INDEX grants_session ON grants (session_id)",
        "CREATE INDEX grants_expiry ON grants (expires_at)",
        "CREATE INDEX revoked_access_tokens_expiry ON revoked_access_tokens (expires_at)",
        "CREATE INDEX consents_client ON consents (client_id)",
        "CREATE UNIQUE INDEX authorization_requests_uri ON authorization_requests (uri_hash)",
        "CREATE INDEX authorization_requests_client ON authorization_requests (client_id)",
        """
        CREATE INDEX authorization_requests_identity ON authorization_requests (chosen_identity_id)
        WHERE chosen_identity_id IS NOT NULL
        """,
        "CREATE INDEX authorization_requests_expiry ON authorization_requests (expires_at)",
        "CREATE INDEX handover_codes_identity ON handover_codes (identity_id)",
        "CREATE INDEX handover_codes_session ON handover_codes (session_id)",
        "CREATE INDEX handover_codes_client ON handover_codes (client_id)",
        "CREATE INDEX handover_codes_source ON handover_codes (source_client_id)",
        "CREATE INDEX handover_codes_expiry ON handover_codes (expires_at)",
    ]
}
