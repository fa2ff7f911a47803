import LatchkeyServerKit

extension Migration {
    /// The table for answers to documents in SQLite.
    ///
    /// `identity_id` has no foreign key, because the rows outlive the account. `closed_at` and `identity_hash` are set
    /// once, when the account is erased or taken over.
    static let termsEvidenceInSQLite: [SQL] =
        [
            """
            CREATE TABLE terms_evidence (
                id BLOB PRIMARY KEY,
                identity_id BLOB NOT NULL,
                number INTEGER NOT NULL,
                document_key TEXT NOT NULL,
                version INTEGER NOT NULL,
                language TEXT NOT NULL,
                hash BLOB NOT NULL,
                answer TEXT NOT NULL,
                shown TEXT NOT NULL,
                session_id BLOB,
                client_id TEXT,
                answered_at INTEGER NOT NULL,
                identity_hash TEXT,
                closed_at INTEGER
            ) STRICT
            """,
            """
            CREATE TRIGGER terms_evidence_stays BEFORE UPDATE ON terms_evidence
            WHEN OLD.closed_at IS NOT NULL OR NEW.closed_at IS NULL OR NEW.identity_hash IS NULL
            OR NEW.session_id IS NOT NULL OR NEW.id IS NOT OLD.id OR NEW.identity_id IS NOT OLD.identity_id
            OR NEW.number IS NOT OLD.number OR NEW.document_key IS NOT OLD.document_key
            OR NEW.version IS NOT OLD.version OR NEW.language IS NOT OLD.language OR NEW.hash IS NOT OLD.hash
            OR NEW.answer IS NOT OLD.answer OR NEW.shown IS NOT OLD.shown
            OR NEW.client_id IS NOT OLD.client_id OR NEW.answered_at IS NOT OLD.answered_at
            BEGIN SELECT RAISE(ABORT, 'answers are not changed'); END
            """,
            """
            CREATE TRIGGER terms_evidence_remains BEFORE DELETE ON terms_evidence WHEN OLD.closed_at IS NULL
            BEGIN SELECT RAISE(ABORT, 'answers of existing accounts are not deleted'); END
            """,
            // Without it, INSERT OR REPLACE would delete a row, and SQLite doesn't call the trigger above for it.
            """
            CREATE TRIGGER terms_evidence_is_new BEFORE INSERT ON terms_evidence
            WHEN EXISTS (SELECT 1 FROM terms_evidence WHERE id = NEW.id)
            OR EXISTS (SELECT 1 FROM terms_evidence WHERE identity_id = NEW.identity_id AND number = NEW.number)
            BEGIN SELECT RAISE(ABORT, 'answers are not replaced'); END
            """,
        ] + termsEvidenceIndexes

    /// The table for answers to documents in PostgreSQL.
    static let termsEvidenceInPostgreSQL: [SQL] =
        [
            """
            CREATE TABLE terms_evidence (
                id BYTEA PRIMARY KEY,
                identity_id BYTEA NOT NULL,
                number BIGINT NOT NULL,
                document_key TEXT COLLATE "C" NOT NULL,
                version BIGINT NOT NULL,
                language TEXT COLLATE "C" NOT NULL,
                hash BYTEA NOT NULL,
                answer TEXT COLLATE "C" NOT NULL,
                shown TEXT COLLATE "C" NOT NULL,
                session_id BYTEA,
                client_id TEXT COLLATE "C",
                answered_at BIGINT NOT NULL,
                identity_hash TEXT COLLATE "C",
                closed_at BIGINT
            )
            """,
            """
            CREATE FUNCTION terms_evidence_stays() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE 'answers are not changed, and not deleted while their account exists'; END $$
            """,
            """
            CREATE TRIGGER terms_evidence_stays BEFORE UPDATE ON terms_evidence FOR EACH ROW
            WHEN (OLD.closed_at IS NOT NULL OR NEW.closed_at IS NULL OR NEW.identity_hash IS NULL
            OR NEW.session_id IS NOT NULL
            OR (NEW.id, NEW.identity_id, NEW.number, NEW.document_key, NEW.version, NEW.language, NEW.hash,
            NEW.answer, NEW.shown, NEW.client_id, NEW.answered_at)
            IS DISTINCT FROM
            (OLD.id, OLD.identity_id, OLD.number, OLD.document_key, OLD.version, OLD.language, OLD.hash,
            OLD.answer, OLD.shown, OLD.client_id, OLD.answered_at))
            EXECUTE FUNCTION terms_evidence_stays()
            """,
            """
            CREATE TRIGGER terms_evidence_remains BEFORE DELETE ON terms_evidence FOR EACH ROW
            WHEN (OLD.closed_at IS NULL) EXECUTE FUNCTION terms_evidence_stays()
            """,
            """
            CREATE TRIGGER terms_evidence_is_kept BEFORE TRUNCATE ON terms_evidence
            FOR EACH STATEMENT EXECUTE FUNCTION terms_evidence_stays()
            """,
        ] + termsEvidenceIndexes

    private static let termsEvidenceIndexes: [SQL] = [
        "CREATE UNIQUE INDEX terms_evidence_account ON terms_evidence (identity_id, number)",
        "CREATE INDEX terms_evidence_closed ON terms_evidence (closed_at, id) WHERE closed_at IS NOT NULL",
    ]
}
