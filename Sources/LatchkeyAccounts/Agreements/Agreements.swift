/// The newest version of each document that an account has accepted or acknowledged, as stored in the `agreements`
/// column.
///
/// The column only summarizes the evidence, so that whoami doesn't have to read it, and is changed in the same
/// transaction. It has one line per document, with the document's key and the version's number.
package struct Agreements: Hashable, Sendable {
    private var versions: [String: Int]

    /// Reads the column.
    ///
    /// Lines that can't be read are skipped, so their documents count as unanswered.
    package init(column text: String?) {
        versions = [:]
        for line in (text ?? "").split(separator: "\n") {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let version = Int(parts[1]) else { continue }
            versions[String(parts[0])] = version
        }
    }

    /// The text of the column, sorted by key, or `nil` if no document was answered.
    package var column: String? {
        guard !versions.isEmpty else { return nil }
        return versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined()
    }

    /// The newest version of a document that the account has answered, or `nil` if it hasn't answered any.
    package func version(of key: String) -> Int? { versions[key] }

    /// Removes the answer to a document, so that it counts as unanswered.
    package mutating func forget(_ key: String) { versions[key] = nil }

    /// Records an answer, unless the account has already answered the same or a newer version.
    package mutating func answer(_ key: String, version: Int) {
        versions[key] = max(versions[key] ?? version, version)
    }
}
