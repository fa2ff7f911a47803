import LatchkeyServerKit

extension Migration {
    static let accountTablesInPostgreSQL: [SQL] = [
        """
        CREATE TABLE identities (
            id BYTEA PRIMARY KEY,
            schema_id TEXT COLLATE "C" NOT NULL,
            external_id TEXT COLLATE "C",
            state TEXT COLLATE "C" NOT NULL,
            duties TEXT COLLATE "C",
            agreements TEXT COLLATE "C",
            traits BYTEA NOT NULL,
            metadata_public BYTEA,
            metadata_admin BYTEA,
            body BYTEA NOT NULL,
            version BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            updated_at BIGINT NOT NULL,
            state_changed_at BIGINT NOT NULL,
            region_changed_at BIGINT,
            confirmed_at BIGINT,
            reclaimed_at BIGINT,
            deletion_at BIGINT,
            lapses_at BIGINT
        )
        """,
        """
        CREATE TABLE identifiers (
            identifier TEXT COLLATE "C" PRIMARY KEY,
            identity_id BYTEA NOT NULL REFERENCES identities (id)
        )
        """,
        """
        CREATE TABLE passwords (
            identity_id BYTEA PRIMARY KEY REFERENCES identities (id),
            hash TEXT COLLATE "C" NOT NULL,
            created_at BIGINT NOT NULL,
            updated_at BIGINT NOT NULL
        )
        """,
        """
        CREATE TABLE credentials (
            identity_id BYTEA NOT NULL REFERENCES identities (id),
            method TEXT COLLATE "C" NOT NULL,
            id BYTEA NOT NULL,
            secret BYTEA NOT NULL,
            created_at BIGINT NOT NULL,
            PRIMARY KEY (identity_id, method, id)
        )
        """,
        """
        CREATE TABLE addresses (
            id BYTEA PRIMARY KEY,
            identity_id BYTEA NOT NULL REFERENCES identities (id),
            kind TEXT COLLATE "C" NOT NULL,
            position BIGINT NOT NULL,
            via TEXT COLLATE "C" NOT NULL,
            value TEXT COLLATE "C" NOT NULL,
            verified BIGINT NOT NULL,
            status TEXT COLLATE "C" NOT NULL,
            verified_at BIGINT,
            created_at BIGINT NOT NULL,
            updated_at BIGINT NOT NULL
        )
        """,
        """
        CREATE TABLE address_states (
            identity_id BYTEA NOT NULL REFERENCES identities (id),
            via TEXT COLLATE "C" NOT NULL,
            value TEXT COLLATE "C" NOT NULL,
            state TEXT COLLATE "C" NOT NULL,
            PRIMARY KEY (identity_id, via, value)
        )
        """,
        """
        CREATE TABLE known_networks (
            identity_id BYTEA NOT NULL REFERENCES identities (id),
            network BYTEA NOT NULL,
            seen_at BIGINT NOT NULL,
            PRIMARY KEY (identity_id, network)
        )
        """,
        """
        CREATE TABLE sessions (
            token_hash BYTEA PRIMARY KEY,
            token_unused BIGINT NOT NULL DEFAULT 0,
            id BYTEA NOT NULL,
            identity_id BYTEA NOT NULL REFERENCES identities (id),
            authentications TEXT COLLATE "C" NOT NULL,
            evidence TEXT COLLATE "C" NOT NULL,
            key_thumbprint BYTEA,
            needs_certificate BIGINT NOT NULL,
            device_id BYTEA NOT NULL,
            ip_address TEXT COLLATE "C" NOT NULL,
            user_agent TEXT COLLATE "C" NOT NULL,
            client_id TEXT COLLATE "C",
            parent_id BYTEA,
            issued_at BIGINT NOT NULL,
            authenticated_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            ends_at BIGINT NOT NULL,
            revoked_at BIGINT
        )
        """,
        """
        CREATE TABLE replaced_tokens (
            token_hash BYTEA PRIMARY KEY,
            session_id BYTEA NOT NULL,
            valid_until BIGINT
        )
        """,
        """
        CREATE TABLE certificates (
            serial BYTEA PRIMARY KEY,
            session_id BYTEA NOT NULL,
            identity_id BYTEA NOT NULL REFERENCES identities (id),
            key_thumbprint BYTEA NOT NULL,
            issued_at BIGINT NOT NULL,
            not_after BIGINT NOT NULL,
            revoked_at BIGINT
        )
        """,
        """
        CREATE TABLE clients (
            id TEXT COLLATE "C" PRIMARY KEY,
            name TEXT COLLATE "C" NOT NULL,
            owner TEXT COLLATE "C" NOT NULL,
            metadata BYTEA NOT NULL,
            id_token_alg TEXT COLLATE "C",
            secret TEXT COLLATE "C",
            previous_secret TEXT COLLATE "C",
            previous_secret_until BIGINT,
            created_at BIGINT NOT NULL,
            updated_at BIGINT NOT NULL
        )
        """,
        """
        CREATE TABLE client_origins (
            origin TEXT COLLATE "C" NOT NULL,
            client_id TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
            PRIMARY KEY (origin, client_id)
        )
        """,
        """
        CREATE TABLE limits (
            bucket BYTEA PRIMARY KEY,
            stamps BYTEA NOT NULL,
            expires_at BIGINT NOT NULL
        )
        """,
        """
        CREATE TABLE audit (
            happened_at BIGINT NOT NULL,
            id BYTEA NOT NULL,
            identity_id BYTEA NOT NULL,
            actor TEXT COLLATE "C" NOT NULL,
            action TEXT COLLATE "C" NOT NULL,
            subject TEXT COLLATE "C",
            address TEXT COLLATE "C",
            request_id TEXT COLLATE "C",
            PRIMARY KEY (happened_at, id)
        )
        """,
    ]
}
