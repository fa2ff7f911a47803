import LatchkeyModel
import LatchkeyWire

/// Formats documents and publications as text.
enum TermsText {
    /// Formats the changes of a publication, one per line.
    static func changes(_ publication: JSONValue) -> [String] {
        let changes = publication["changes"]?.array ?? []
        return changes.isEmpty ? ["Everything is already published."] : changes.map(change)
    }

    /// Formats what an operator may not have intended.
    static func warnings(_ publication: JSONValue) -> [String] {
        (publication["warnings"]?.array ?? []).compactMap { $0.text.map { "warning: \($0)" } }
    }

    private static func change(_ change: JSONValue) -> String {
        let version = change["version"]?.integer.map { " \($0)" } ?? ""
        let place = (change["document"]?.text ?? "") + version
        switch change["change"]?.text {
        case "document_added": return "\(place): new document"
        case "titles_changed": return "\(place): new titles"
        case "text_added": return "\(place): new text in \(change["language"]?.text ?? "")"
        default:
            let accounts = change["accounts"]?.integer
            let asked =
                switch accounts {
                case nil: "asks for nothing"
                case let count?:
                    "asks about \(count) \(count == 1 ? "account" : "accounts") for \(change["asks"]?.text ?? "")"
                }
            return "\(place): new version, effective \(change["effective_at"]?.text ?? ""), \(asked)"
        }
    }

    /// Formats a document and its versions, one per line.
    static func document(_ document: JSONValue) -> [String] {
        let languages = (document["titles"]?.object ?? [:]).keys.sorted().joined(separator: ",")
        let parts: [String?] = [
            document["key"]?.text, document["kind"]?.text, document["client_id"]?.text, languages,
        ]
        let versions = (document["versions"]?.array ?? []).map(version)
        return [parts.compactMap(\.self).joined(separator: "  ")] + versions
    }

    private static func version(_ version: JSONValue) -> String {
        let languages = (version["texts"]?.array ?? []).compactMap { $0["language"]?.text }
        let parts: [String?] = [
            version["number"]?.integer.map { String($0) }, version["asks"]?.text,
            version["effective_at"]?.text, languages.joined(separator: ","),
        ]
        return "  " + parts.compactMap(\.self).joined(separator: "  ")
    }

    /// Formats how many accounts have answered a document, by version and by client.
    static func status(_ status: JSONValue) -> [String] {
        func number(_ value: JSONValue?, _ name: String) -> String {
            value?[name]?.integer.map(String.init) ?? "0"
        }
        let required = status["required"]?.integer.map { "version \($0) required" } ?? "no version required"
        let first =
            "\(status["document"]?.text ?? "")  \(required)  \(number(status, "answered")) of \(number(status, "accounts")) accounts"
        let versions = (status["versions"]?.array ?? []).map {
            "  version \(number($0, "version"))  \(number($0, "accounts"))"
        }
        let clients = (status["clients"]?.array ?? []).map {
            "  client \($0["client_id"]?.text ?? "")  \(number($0, "answered")) of \(number($0, "accounts"))"
        }
        return [first] + versions + clients
    }

    /// Formats the members of a text, without its words.
    static func text(_ text: JSONValue) -> [String] {
        ["document", "version", "language", "hash", "summary"].compactMap { name in
            let value: String = text[name]?.text ?? text[name]?.integer.map { String($0) } ?? ""
            return value.isEmpty ? nil : name + String(repeating: " ", count: 12 - name.count) + value
        }
    }
}

extension AdminClient {
    /// Publishes documents, or only computes what would change.
    ///
    /// - Throws: ``CommandFailure`` with the code `failed` and one line for each mistake, if the server refuses
    ///   the publication.
    func publish(_ documents: JSONValue, isDryRun: Bool) async throws(CommandFailure) -> JSONValue {
        let body: JSONValue = ["documents": documents, "dry_run": .bool(isDryRun)]
        let response = try await response(
            .post,
            path: TermsAdminRoute.publications,
            body: (try? JSONCoding.encode(body)) ?? []
        )
        guard response.status == 400 || response.status == 409 else { return try json(of: response) }
        let error = (try? JSONCoding.decode(JSONValue.self, from: response.body))?["error"]
        let lines = (error?["reason"]?.text ?? "the server refused the publication")
            .split(separator: "; ").map { String($0).displayable }
        throw CommandFailure(.failed, message: lines.joined(separator: "\n"))
    }
}
