import LatchkeyAccounts
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

extension Publication {
    /// The maximum size of a publication as JSON, in bytes.
    package static let sizeLimit = 1 << 20

    /// Reads the member `documents` of a request.
    ///
    /// - Throws: ``PublicationError``, which lists all mistakes.
    package init(_ documents: OrderedJSON?) throws(PublicationError) {
        var reader = PublicationReader()
        let documents = reader.documents(documents)
        guard reader.problems.isEmpty else { throw PublicationError(problems: reader.problems) }
        self.init(documents: documents)
    }
}

/// Reads a publication and collects all mistakes instead of stopping at the first one.
private struct PublicationReader {
    private static let mostDocuments = 100
    private static let mostVersions = 200
    private static let mostLanguages = 32
    /// The maximum length of a text, in bytes.
    private static let textLimit = 512 * 1024
    /// The maximum length of a summary, in bytes.
    private static let summaryLimit = 2000
    /// The maximum length of a title, in bytes.
    private static let titleLimit = 200

    private(set) var problems: [PublicationProblem] = []

    private mutating func refuse(_ place: String, _ reason: String) {
        problems.append(PublicationProblem(at: place, reason))
    }

    mutating func documents(_ value: OrderedJSON?) -> [Publication.Document] {
        guard case .array(let values)? = value, (1...Self.mostDocuments).contains(values.count) else {
            refuse("", "documents must be a list of 1 to \(Self.mostDocuments) documents")
            return []
        }
        var documents: [Publication.Document] = []
        for (index, value) in values.enumerated() {
            guard let document = document(value, index: index) else { continue }
            if documents.contains(where: { $0.key == document.key }) {
                refuse(document.key, "the document occurs twice")
            }
            documents.append(document)
        }
        return documents
    }

    private mutating func document(_ value: OrderedJSON, index: Int) -> Publication.Document? {
        let place = "documents[\(index)]"
        guard let members = object(value, at: place, "a document must be an object") else { return nil }
        guard case .string(let key)? = members["key"], TermsDocument.isKey(key) else {
            refuse(
                place,
                "key must have 1 to \(TermsDocument.longestKey) lowercase letters, digits and hyphens"
            )
            return nil
        }
        refuseOthers(
            members,
            than: ["key", "kind", "client_id", "default_language", "titles", "versions"],
            at: key
        )
        let language = language(members["default_language"], named: "default_language", at: key)
        let titles = titles(members["titles"], at: key)
        if let language, !titles.isEmpty, titles[language] == nil {
            refuse(key, "titles has no title in the default language \(language)")
        }
        let kind: TermsDocument.Kind? = choice(members["kind"], named: "kind", at: key)
        return Publication.Document(
            key: key,
            kind: kind ?? .terms,
            clientID: client(members["client_id"], at: key),
            titles: titles,
            defaultLanguage: language ?? "",
            versions: versions(members["versions"], language: language, at: key)
        )
    }

    private mutating func client(_ value: OrderedJSON?, at place: String) -> String? {
        switch value ?? .null {
        case .null: return nil
        case .string(let id) where OAuthClient.isID(id): return id
        default:
            refuse(place, "client_id must be the id of a client, or null for a document of the operator")
            return nil
        }
    }

    private mutating func titles(_ value: OrderedJSON?, at place: String) -> [String: String] {
        guard case .object(let members)? = value, (1...Self.mostLanguages).contains(members.count) else {
            refuse(
                place,
                "titles must be an object with a title for each language, such as {\"en\": \"Terms\"}"
            )
            return [:]
        }
        var titles: [String: String] = [:]
        for member in members {
            guard TermsText.isLanguage(member.name) else {
                refuse(place, "titles must have lowercase language tags such as en")
                continue
            }
            guard case .string(let title) = member.value, (1...Self.titleLimit).contains(title.utf8.count),
                title.displayable.hasSameBytes(as: title)
            else {
                refuse(
                    "\(place)/titles/\(member.name)",
                    "a title must be a line of 1 to \(Self.titleLimit) bytes without control characters"
                )
                continue
            }
            titles[member.name] = title
        }
        return titles
    }

    private mutating func versions(
        _ value: OrderedJSON?,
        language: String?,
        at key: String
    ) -> [Publication.Version] {
        guard case .array(let values)? = value, values.count <= Self.mostVersions else {
            refuse(key, "versions must be a list of at most \(Self.mostVersions) versions")
            return []
        }
        var versions: [Publication.Version] = []
        for (index, value) in values.enumerated() {
            guard let version = version(value, language: language, at: key, index: index) else { continue }
            if versions.contains(where: { $0.number == version.number }) {
                refuse("\(key)/\(version.number)", "the version occurs twice")
            }
            versions.append(version)
        }
        return versions.sorted { $0.number < $1.number }
    }

    private mutating func version(
        _ value: OrderedJSON,
        language: String?,
        at key: String,
        index: Int
    ) -> Publication.Version? {
        let place = "\(key)/versions[\(index)]"
        guard let members = object(value, at: place, "a version must be an object") else { return nil }
        guard case .integer(let number)? = members["number"],
            (1...Int64(TermsVersion.greatestNumber)).contains(number)
        else {
            refuse(place, "number must be a whole number from 1 to \(TermsVersion.greatestNumber)")
            return nil
        }
        let name = "\(key)/\(number)"
        refuseOthers(members, than: ["number", "asks", "effective_at", "texts"], at: name)
        let asks: TermsVersion.Request? = choice(members["asks"], named: "asks", at: name)
        let texts = texts(members["texts"], at: name)
        if let language, !texts.isEmpty, !texts.contains(where: { $0.language == language }) {
            refuse(name, "there is no text in the default language \(language)")
        }
        return Publication.Version(
            number: Int(number),
            asks: asks ?? .nothing,
            effectiveAt: time(members["effective_at"], at: name),
            texts: texts
        )
    }

    private mutating func time(_ value: OrderedJSON?, at place: String) -> Timestamp? {
        switch value ?? .null {
        case .null: return nil
        case .string(let text):
            if let time = Timestamp(rfc3339: text) { return time }
        default: break
        }
        refuse(
            place,
            "effective_at must be a time such as 2027-01-01T00:00:00Z, or null for the time of publication"
        )
        return nil
    }

    private mutating func texts(_ value: OrderedJSON?, at place: String) -> [Publication.Text] {
        guard case .array(let values)? = value, (1...Self.mostLanguages).contains(values.count) else {
            refuse(place, "texts must be a list of 1 to \(Self.mostLanguages) texts")
            return []
        }
        var texts: [Publication.Text] = []
        for (index, value) in values.enumerated() {
            guard let text = text(value, at: place, index: index) else { continue }
            if texts.contains(where: { $0.language == text.language }) {
                refuse("\(place)/\(text.language)", "the language occurs twice")
            }
            texts.append(text)
        }
        return texts.sorted { $0.language < $1.language }
    }

    private mutating func text(_ value: OrderedJSON, at place: String, index: Int) -> Publication.Text? {
        let inner = "\(place)/texts[\(index)]"
        guard let members = object(value, at: inner, "a text must be an object") else { return nil }
        guard let language = language(members["language"], named: "language", at: inner) else { return nil }
        let name = "\(place)/\(language)"
        refuseOthers(members, than: ["language", "text", "summary"], at: name)
        guard let words = content(members["text"], named: "text", atMost: Self.textLimit, at: name) else {
            return nil
        }
        if words.unicodeScalars.first == "\u{FEFF}" {
            refuse(name, "text must not begin with a byte-order mark")
        } else if words.allSatisfy(\.isWhitespace) {
            refuse(name, "text is empty")
        }
        let summary = members["summary"].map { value in
            content(value, named: "summary", atMost: Self.summaryLimit, at: name) ?? ""
        }
        let bytes = Array(words.utf8)
        return Publication.Text(
            language: language,
            bytes: bytes,
            hash: SHA256Hash.hash(bytes),
            summary: summary ?? ""
        )
    }

    // MARK: Values

    private mutating func object(_ value: OrderedJSON, at place: String, _ reason: String) -> OrderedJSON? {
        guard case .object = value else {
            refuse(place, reason)
            return nil
        }
        return value
    }

    private mutating func refuseOthers(_ value: OrderedJSON, than known: Set<String>, at place: String) {
        guard case .object(let members) = value else { return }
        for member in members where !known.contains(member.name) {
            let name = PlainName(member.name).map { " \($0)" } ?? ""
            refuse(place, "there is an unknown member\(name)")
        }
    }

    private mutating func language(_ value: OrderedJSON?, named name: String, at place: String) -> String? {
        guard case .string(let tag)? = value, TermsText.isLanguage(tag) else {
            refuse(place, "\(name) must be a lowercase language tag such as en")
            return nil
        }
        return tag
    }

    private mutating func choice<Chosen: CaseIterable & RawRepresentable<String>>(
        _ value: OrderedJSON?,
        named name: String,
        at place: String
    ) -> Chosen? {
        if case .string(let text)? = value, let choice = Chosen(rawValue: text) { return choice }
        let choices = Chosen.allCases.map(\.rawValue).joined(separator: ", ")
        refuse(place, "\(name) must be one of \(choices)")
        return nil
    }

    /// Reads a text of several lines.
    private mutating func content(
        _ value: OrderedJSON?,
        named name: String,
        atMost limit: Int,
        at place: String
    ) -> String? {
        guard case .string(let text)? = value else {
            refuse(place, "\(name) must be a string")
            return nil
        }
        guard text.utf8.count <= limit else {
            refuse(place, "\(name) is longer than \(limit) bytes")
            return nil
        }
        // Other control characters are invisible, and could hide a part of the text from users.
        let isClean = text.unicodeScalars.allSatisfy { scalar in
            scalar == "\n" || scalar == "\r" || scalar == "\t"
                || scalar.properties.generalCategory != .control
        }
        guard isClean else {
            refuse(place, "\(name) contains a control character")
            return nil
        }
        return text
    }
}
