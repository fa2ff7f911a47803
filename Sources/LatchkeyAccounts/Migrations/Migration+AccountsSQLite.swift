import LatchkeyServerKit

extension Migration {
    static let accountTablesInSQLite: [SQL] = [
        """
        CREATE TABLE identities (
            id BLOB PRIMARY KEY,
            schema_id TEXT NOT NULL,
            external_id TEXT,
            state TEXT NOT NULL,
            duties TEXT,
            agreements TEXT,
            traits BLOB NOT NULL,
            metadata_public BLOB,
            metadata_admin BLOB,
            body BLOB NOT NULL,
            version INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            state_changed_at INTEGER NOT NULL,
            region_changed_at INTEGER,
            confirmed_at INTEGER,
            reclaimed_at INTEGER,
            deletion_at INTEGER,
            lapses_at INTEGER
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE identifiers (
            identifier TEXT PRIMARY KEY,
            identity_id BLOB NOT NULL REFERENCES identities (id)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE passwords (
            identity_id BLOB PRIMARY KEY REFERENCES identities (id),
            hash TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE credentials (
            identity_id BLOB NOT NULL REFERENCES identities (id),
            method TEXT NOT NULL,
            id BLOB NOT NULL,
            secret BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (identity_id, method, id)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE addresses (
            id BLOB PRIMARY KEY,
            identity_id BLOB NOT NULL REFERENCES identities (id),
            kind TEXT NOT NULL,
            position INTEGER NOT NULL,
            via TEXT NOT NULL,
            value TEXT NOT NULL,
            verified INTEGER NOT NULL,
            status TEXT NOT NULL,
            verified_at INTEGER,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE address_states (
            identity_id BLOB NOT NULL REFERENCES identities (id),
            via TEXT NOT NULL,
            value TEXT NOT NULL,
            state TEXT NOT NULL,
            PRIMARY KEY (identity_id, via, value)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE known_networks (
            identity_id BLOB NOT NULL REFERENCES identities (id),
            network BLOB NOT NULL,
            seen_at INTEGER NOT NULL,
            PRIMARY KEY (identity_id, network)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE sessions (
            token_hash BLOB PRIMARY KEY,
            token_unused INTEGER NOT NULL DEFAULT 0,
            id BLOB NOT NULL,
            identity_id BLOB NOT NULL REFERENCES identities (id),
            authentications TEXT NOT NULL,
            evidence TEXT NOT NULL,
            key_thumbprint BLOB,
            needs_certificate INTEGER NOT NULL,
            device_id BLOB NOT NULL,
            ip_address TEXT NOT NULL,
            user_agent TEXT NOT NULL,
            client_id TEXT,
            parent_id BLOB,
            issued_at INTEGER NOT NULL,
            authenticated_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            ends_at INTEGER NOT NULL,
            revoked_at INTEGER
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE replaced_tokens (
            token_hash BLOB PRIMARY KEY,
            session_id BLOB NOT NULL,
            valid_until INTEGER
        ) STRICT, WITHOUT ROWID
        """,
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
        """
        CREATE TABLE clients (
            id TEXT PRIMARY KEY,
            name TEXT NOT NULL,
            owner TEXT NOT NULL,
            metadata BLOB NOT NULL,
            id_token_alg TEXT,
            secret TEXT,
            previous_secret TEXT,
            previous_secret_until INTEGER,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE client_origins (
            origin TEXT NOT NULL,
            client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
            PRIMARY KEY (origin, client_id)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE limits (
            bucket BLOB PRIMARY KEY,
            stamps BLOB NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        // There is no foreign key to identities, because events are kept when an account is deleted.
        """
        CREATE TABLE audit (
            happened_at INTEGER NOT NULL,
            id BLOB NOT NULL,
            identity_id BLOB NOT NULL,
            actor TEXT NOT NULL,
            action TEXT NOT NULL,
            subject TEXT,
            address TEXT,
            request_id TEXT,
            PRIMARY KEY (happened_at, id)
        ) STRICT, WITHOUT ROWID
        """,
    ]
}
