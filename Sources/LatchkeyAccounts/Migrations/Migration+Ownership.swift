import LatchkeyServerKit

extension Migration {
    /// Adds address ownership, confirmed accounts, session evidence, replaced tokens and known networks.
    ///
    /// To make sure that the upgrade doesn't lock out any users, existing accounts become confirmed if one of
    /// their addresses was verified or if an operator created them. Verified addresses become proven, and so
    /// do all addresses of accounts that an operator created.
    static let ownership = Migration(
        version: 10,
        name: "ownership",
        sqlite: [
            """
            CREATE TABLE address_states (
                identity_id BLOB NOT NULL REFERENCES identities (id),
                via TEXT NOT NULL,
                value TEXT NOT NULL,
                state TEXT NOT NULL,
                PRIMARY KEY (identity_id, via, value)
            ) STRICT, WITHOUT ROWID
            """,
            "ALTER TABLE identities ADD COLUMN confirmed_at INTEGER",
            "ALTER TABLE identities ADD COLUMN reclaimed_at INTEGER",
            "ALTER TABLE identities ADD COLUMN duties TEXT",
            "ALTER TABLE sessions ADD COLUMN ends_at INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE sessions ADD COLUMN token_unused INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE sessions ADD COLUMN evidence TEXT",
            "ALTER TABLE sessions ADD COLUMN key_thumbprint BLOB",
            """
            CREATE TABLE replaced_tokens (
                token_hash BLOB PRIMARY KEY,
                session_id BLOB NOT NULL,
                valid_until INTEGER
            ) STRICT, WITHOUT ROWID
            """,
            "ALTER TABLE flows ADD COLUMN session_id BLOB",
            "ALTER TABLE messages ADD COLUMN identity_id BLOB",
            """
            CREATE TABLE known_networks (
                identity_id BLOB NOT NULL REFERENCES identities (id),
                network BLOB NOT NULL,
                seen_at INTEGER NOT NULL,
                PRIMARY KEY (identity_id, network)
            ) STRICT, WITHOUT ROWID
            """,
        ] + sharedOwnership + [
            // Starting with this version, a customer's phone number is also a recovery address.
            """
            INSERT INTO addresses (id, identity_id, kind, via, value, verified, status, verified_at,
                created_at, updated_at, position)
            SELECT randomblob(16), a.identity_id, 'recovery', a.via, a.value, 0, 'pending', NULL,
                a.created_at, a.updated_at, a.position
            FROM addresses a JOIN identities i ON i.id = a.identity_id
            WHERE i.schema_id = 'customer' AND a.kind = 'verifiable' AND a.via = 'sms'
            ON CONFLICT DO NOTHING
            """
        ],
        postgreSQL: [
            """
            CREATE TABLE address_states (
                identity_id BYTEA NOT NULL REFERENCES identities (id),
                via TEXT COLLATE "C" NOT NULL,
                value TEXT COLLATE "C" NOT NULL,
                state TEXT COLLATE "C" NOT NULL,
                PRIMARY KEY (identity_id, via, value)
            )
            """,
            "ALTER TABLE identities ADD COLUMN confirmed_at BIGINT",
            "ALTER TABLE identities ADD COLUMN reclaimed_at BIGINT",
            #"ALTER TABLE identities ADD COLUMN duties TEXT COLLATE "C""#,
            "ALTER TABLE sessions ADD COLUMN ends_at BIGINT NOT NULL DEFAULT 0",
            "ALTER TABLE sessions ADD COLUMN token_unused BIGINT NOT NULL DEFAULT 0",
            #"ALTER TABLE sessions ADD COLUMN evidence TEXT COLLATE "C""#,
            "ALTER TABLE sessions ADD COLUMN key_thumbprint BYTEA",
            """
            CREATE TABLE replaced_tokens (
                token_hash BYTEA PRIMARY KEY,
                session_id BYTEA NOT NULL,
                valid_until BIGINT
            )
            """,
            "ALTER TABLE flows ADD COLUMN session_id BYTEA",
            "ALTER TABLE messages ADD COLUMN identity_id BYTEA",
            """
            CREATE TABLE known_networks (
                identity_id BYTEA NOT NULL REFERENCES identities (id),
                network BYTEA NOT NULL,
                seen_at BIGINT NOT NULL,
                PRIMARY KEY (identity_id, network)
            )
            """,
        ] + sharedOwnership + [
            """
            INSERT INTO addresses (id, identity_id, kind, via, value, verified, status, verified_at,
                created_at, updated_at, position)
            SELECT decode(md5(random()::text || a.value), 'hex'), a.identity_id, 'recovery', a.via, a.value, 0,
                'pending', NULL, a.created_at, a.updated_at, a.position
            FROM addresses a JOIN identities i ON i.id = a.identity_id
            WHERE i.schema_id = 'customer' AND a.kind = 'verifiable' AND a.via = 'sms'
            ON CONFLICT DO NOTHING
            """
        ]
    )

    /// The statements that are the same in both dialects.
    private static let sharedOwnership: [SQL] = [
        "CREATE UNIQUE INDEX address_states_proven ON address_states (via, value) WHERE state = 'proven'",
        "CREATE INDEX identities_duties ON identities (id) WHERE duties IS NOT NULL",
        "CREATE INDEX replaced_tokens_session ON replaced_tokens (session_id)",
        "CREATE INDEX codes_identity ON codes (identity_id) WHERE identity_id IS NOT NULL",
        "CREATE INDEX codes_address ON codes (address)",
        "CREATE INDEX messages_identity ON messages (identity_id) WHERE identity_id IS NOT NULL",
        """
        UPDATE identities SET confirmed_at = created_at WHERE id IN (
            SELECT identity_id FROM addresses WHERE kind = 'verifiable' AND verified = 1
            UNION SELECT identity_id FROM audit
            WHERE actor = 'operator' AND deed IN ('identity.created', 'identity.imported'))
        """,
        """
        INSERT INTO address_states (identity_id, via, value, state)
        SELECT DISTINCT identity_id, via, value, 'proven' FROM addresses
        WHERE kind = 'verifiable' AND verified = 1 OR identity_id IN (
            SELECT identity_id FROM audit
            WHERE actor = 'operator' AND deed IN ('identity.created', 'identity.imported'))
        ON CONFLICT DO NOTHING
        """,
    ]
}
