import LatchkeyServerKit

extension Migration {
    /// The tables for documents in SQLite, whose versions and texts never change.
    static let termsInSQLite: [SQL] = [
        """
        CREATE TABLE terms_documents (
            key TEXT PRIMARY KEY,
            kind TEXT NOT NULL,
            client_id TEXT,
            titles TEXT NOT NULL,
            default_language TEXT NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE terms_versions (
            document_key TEXT NOT NULL REFERENCES terms_documents (key),
            number INTEGER NOT NULL CHECK (number > 0),
            asks TEXT NOT NULL,
            effective_at INTEGER NOT NULL,
            published_at INTEGER NOT NULL,
            published_by TEXT,
            PRIMARY KEY (document_key, number)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE terms_texts (
            document_key TEXT NOT NULL,
            number INTEGER NOT NULL,
            language TEXT NOT NULL,
            hash BLOB NOT NULL,
            text BLOB NOT NULL,
            summary TEXT NOT NULL,
            added_at INTEGER NOT NULL,
            PRIMARY KEY (document_key, number, language),
            FOREIGN KEY (document_key, number) REFERENCES terms_versions (document_key, number)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TRIGGER terms_versions_stay BEFORE UPDATE ON terms_versions
        BEGIN SELECT RAISE(ABORT, 'published versions are not changed'); END
        """,
        """
        CREATE TRIGGER terms_versions_remain BEFORE DELETE ON terms_versions
        BEGIN SELECT RAISE(ABORT, 'published versions are not deleted'); END
        """,
        """
        CREATE TRIGGER terms_texts_stay BEFORE UPDATE ON terms_texts
        BEGIN SELECT RAISE(ABORT, 'published texts are not changed'); END
        """,
        """
        CREATE TRIGGER terms_texts_remain BEFORE DELETE ON terms_texts
        BEGIN SELECT RAISE(ABORT, 'published texts are not deleted'); END
        """,
    ]

    /// The tables for documents in PostgreSQL, whose versions and texts never change.
    static let termsInPostgreSQL: [SQL] = [
        """
        CREATE TABLE terms_documents (
            key TEXT COLLATE "C" PRIMARY KEY,
            kind TEXT COLLATE "C" NOT NULL,
            client_id TEXT COLLATE "C",
            titles TEXT COLLATE "C" NOT NULL,
            default_language TEXT COLLATE "C" NOT NULL,
            created_at BIGINT NOT NULL
        )
        """,
        """
        CREATE TABLE terms_versions (
            document_key TEXT COLLATE "C" NOT NULL REFERENCES terms_documents (key),
            number BIGINT NOT NULL CHECK (number > 0),
            asks TEXT COLLATE "C" NOT NULL,
            effective_at BIGINT NOT NULL,
            published_at BIGINT NOT NULL,
            published_by TEXT COLLATE "C",
            PRIMARY KEY (document_key, number)
        )
        """,
        """
        CREATE TABLE terms_texts (
            document_key TEXT COLLATE "C" NOT NULL,
            number BIGINT NOT NULL,
            language TEXT COLLATE "C" NOT NULL,
            hash BYTEA NOT NULL,
            text BYTEA NOT NULL,
            summary TEXT COLLATE "C" NOT NULL,
            added_at BIGINT NOT NULL,
            PRIMARY KEY (document_key, number, language),
            FOREIGN KEY (document_key, number) REFERENCES terms_versions (document_key, number)
        )
        """,
        """
        CREATE FUNCTION terms_stay() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE 'published versions and texts are not changed'; END $$
        """,
        """
        CREATE TRIGGER terms_versions_stay BEFORE UPDATE OR DELETE ON terms_versions
        FOR EACH ROW EXECUTE FUNCTION terms_stay()
        """,
        """
        CREATE TRIGGER terms_versions_remain BEFORE TRUNCATE ON terms_versions
        FOR EACH STATEMENT EXECUTE FUNCTION terms_stay()
        """,
        """
        CREATE TRIGGER terms_texts_stay BEFORE UPDATE OR DELETE ON terms_texts
        FOR EACH ROW EXECUTE FUNCTION terms_stay()
        """,
        """
        CREATE TRIGGER terms_texts_remain BEFORE TRUNCATE ON terms_texts
        FOR EACH STATEMENT EXECUTE FUNCTION terms_stay()
        """,
    ]
}
