import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Stores documents, their versions and their texts.
///
/// Versions and texts are only ever added. Triggers reject every other change.
package enum TermsRepository {
    /// A text together with its words.
    package struct Text: Hashable, Sendable {
        package let bytes: [UInt8]
        package let hash: [UInt8]
        package let summary: String
    }

    private static let documents: SQL =
        "SELECT key, kind, client_id, titles, default_language, created_at FROM terms_documents ORDER BY key"

    private static let versions: SQL = """
        SELECT document_key, number, asks, effective_at, published_at FROM terms_versions \
        ORDER BY document_key, number
        """

    private static let texts: SQL = """
        SELECT document_key, number, language, hash, summary, added_at FROM terms_texts \
        ORDER BY document_key, number, language
        """

    private static let text: SQL = """
        SELECT text, hash, summary FROM terms_texts \
        WHERE document_key = $1 AND number = $2 AND language = $3
        """

    /// Returns all documents, in the order of their keys, without the words of their texts.
    package static func all(in database: any Database) async throws(DatabaseError) -> [TermsDocument] {
        // Rows are only ever added, and texts in the transaction of their version. In this order, a publication
        // that is committed in between can't add a version without its texts.
        let documents = try await database.rows(documents)
        guard !documents.isEmpty else { return [] }
        let versions = try await database.rows(versions)
        let texts = try await database.rows(texts)
        return try all(from: documents, versions: versions, texts: texts)
    }

    /// Returns all documents, in the order of their keys, without the words of their texts.
    package static func all(in transaction: borrowing Transaction) throws(DatabaseError) -> [TermsDocument] {
        try all(
            from: transaction.rows(documents),
            versions: transaction.rows(versions),
            texts: transaction.rows(texts)
        )
    }

    private static func all(
        from documentRows: [Row],
        versions versionRows: [Row],
        texts textRows: [Row]
    ) throws(DatabaseError) -> [TermsDocument] {
        var texts: [String: [Int: [TermsText]]] = [:]
        for row in textRows {
            let text = TermsText(
                language: try row.text(2),
                hash: try row.blob(3),
                summary: try row.text(4),
                addedAt: try row.time(5)
            )
            texts[try row.text(0), default: [:]][Int(try row.integer(1)), default: []].append(text)
        }
        var versions: [String: [TermsVersion]] = [:]
        for row in versionRows {
            let (key, number) = (try row.text(0), Int(try row.integer(1)))
            let version = TermsVersion(
                number: number,
                asks: try value(try row.text(2)),
                effectiveAt: try row.time(3),
                publishedAt: try row.time(4),
                texts: texts[key]?[number] ?? []
            )
            versions[key, default: []].append(version)
        }
        var documents: [TermsDocument] = []
        for row in documentRows {
            let key = try row.text(0)
            let document = TermsDocument(
                key: key,
                kind: try value(try row.text(1)),
                clientID: try row.optional(2, as: Row.text),
                titles: try titles(stored: try row.text(3)),
                defaultLanguage: try row.text(4),
                createdAt: try row.time(5),
                versions: versions[key] ?? []
            )
            documents.append(document)
        }
        return documents
    }

    /// Returns a text with its words, or `nil` if it wasn't published.
    package static func text(
        of key: String,
        version: Int,
        language: String,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Text? {
        let rows = try transaction.rows(text, .text(key), .integer(Int64(version)), .text(language))
        return try rows.first.map { row throws(DatabaseError) in
            Text(bytes: try row.blob(0), hash: try row.blob(1), summary: try row.text(2))
        }
    }

    /// Returns a text with its words, or `nil` if it wasn't published.
    package static func text(
        of key: String,
        version: Int,
        language: String,
        in database: any Database
    ) async throws(DatabaseError) -> Text? {
        let rows = try await database.rows(text, .text(key), .integer(Int64(version)), .text(language))
        return try rows.first.map { row throws(DatabaseError) in
            Text(bytes: try row.blob(0), hash: try row.blob(1), summary: try row.text(2))
        }
    }

    /// Makes other publications wait for the transaction.
    ///
    /// This must be the first statement of a transaction that publishes. PostgreSQL takes the snapshot of the
    /// transaction only after it, so the transaction finds everything that is published.
    static func lock(in transaction: borrowing Transaction) throws(DatabaseError) {
        switch transaction.dialect {
        // There is only one writer.
        case .sqlite: break
        case .postgreSQL: try transaction.execute("LOCK TABLE terms_documents IN EXCLUSIVE MODE")
        }
    }

    /// Stores a new document without its versions.
    static func insert(
        _ document: TermsDocument,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            INSERT INTO terms_documents (key, kind, client_id, titles, default_language, created_at) \
            VALUES ($1, $2, $3, $4, $5, $6)
            """,
            .text(document.key),
            .text(document.kind.rawValue),
            .optional(document.clientID),
            .text(stored(titles: document.titles)),
            .text(document.defaultLanguage),
            .time(document.createdAt)
        )
    }

    /// Replaces the titles of a document.
    static func update(
        titles: [String: String],
        of key: String,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "UPDATE terms_documents SET titles = $1 WHERE key = $2",
            .text(stored(titles: titles)),
            .text(key)
        )
    }

    /// Stores a new version without its texts.
    ///
    /// - Parameters:
    ///   - version: The version.
    ///   - key: The document.
    ///   - request: The id of the request that publishes the version.
    ///   - transaction: The database transaction that publishes the version.
    /// - Throws: ``DatabaseError``.
    static func insert(
        _ version: TermsVersion,
        of key: String,
        request: String?,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            INSERT INTO terms_versions (document_key, number, asks, effective_at, published_at, published_by) \
            VALUES ($1, $2, $3, $4, $5, $6)
            """,
            .text(key),
            .integer(Int64(version.number)),
            .text(version.asks.rawValue),
            .time(version.effectiveAt),
            .time(version.publishedAt),
            .optional(request)
        )
    }

    /// Stores a new text of a version.
    static func insert(
        _ text: Text,
        language: String,
        of key: String,
        version: Int,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            INSERT INTO terms_texts (document_key, number, language, hash, text, summary, added_at) \
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            .text(key),
            .integer(Int64(version)),
            .text(language),
            .blob(text.hash),
            .blob(text.bytes),
            .text(text.summary),
            .time(now)
        )
    }

    private static func stored(titles: [String: String]) -> String {
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            for (language, title) in titles.sorted(by: { $0.key < $1.key }) {
                writer.name(escaping: language)
                writer.string(title)
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func titles(stored text: String) throws(DatabaseError) -> [String: String] {
        guard let json = try? JSONParser.parse(Array(text.utf8), from: .storage),
            case .object(let members) = json
        else { throw unreadable }
        var titles: [String: String] = [:]
        for member in members {
            guard case .string(let title) = member.value else { throw unreadable }
            titles[member.name] = title
        }
        return titles
    }

    /// Returns the case with a stored name.
    private static func value<Value: RawRepresentable<String>>(
        _ name: String
    ) throws(DatabaseError) -> Value {
        guard let value = Value(rawValue: name) else { throw unreadable }
        return value
    }

    private static let unreadable = DatabaseError(.mismatch, message: "A stored document cannot be read.")
}
