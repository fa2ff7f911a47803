import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
package import LatchkeyWire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A folder with an operator's documents.
///
/// The folder `KEY` contains the document with the key `KEY`: a file `document.json5`, and a folder for each
/// version, whose name is the number. The folder of a version contains `version.json5`, and for each language a
/// text such as `nb.md` and maybe a summary such as `nb.summary.txt`.
package struct TermsFolder: Sendable {
    /// The documents, as the admin API accepts them.
    package let documents: JSONValue

    /// Reads a folder.
    ///
    /// - Throws: ``IdentityServerError``. The error message has one line for each mistake in the folder.
    package init(path: String) throws(IdentityServerError) {
        var reader = TermsFolderReader(path: path)
        let documents = reader.documents()
        var problems = reader.problems
        if problems.isEmpty {
            do throws(PublicationError) {
                let json = (try? JSONCoding.encode(documents)) ?? []
                _ = try Publication(try? JSONParser.parse(json))
            } catch {
                problems = error.problems.map { "\(path): \($0)" }
            }
        }
        guard problems.isEmpty else {
            throw IdentityServerError(.configuration, message: problems.joined(separator: "\n"))
        }
        self.documents = documents
    }

    /// Returns the documents without the versions that are already published exactly as in the folder.
    ///
    /// Otherwise, a folder would outgrow the maximum size of a request with the years.
    ///
    /// - Parameter published: The published documents, as the admin API lists them.
    /// - Returns: The documents.
    package func documents(without published: JSONValue) -> JSONValue {
        let versions = Dictionary(
            (published.array ?? []).compactMap { document in
                document["key"]?.text.map { ($0, document["versions"]?.array ?? []) }
            }
        ) { first, _ in first }
        return .array(
            (documents.array ?? []).map { document in
                guard let known = versions[document["key"]?.text ?? ""],
                    case .object(var members) = document
                else { return document }
                members["versions"] = .array(
                    (document["versions"]?.array ?? []).filter { version in
                        let stored = known.first { $0["number"] == version["number"] }
                        return stored.map { !Self.isSame(version, as: $0) } ?? true
                    }
                )
                return .object(members)
            }
        )
    }

    private static func isSame(_ version: JSONValue, as stored: JSONValue) -> Bool {
        if let time = version["effective_at"]?.text.flatMap({ Timestamp(rfc3339: $0) }),
            time != stored["effective_at"]?.text.flatMap({ Timestamp(rfc3339: $0) })
        {
            return false
        }
        let texts = stored["texts"]?.array ?? []
        return version["asks"] == stored["asks"]
            && (version["texts"]?.array ?? []).allSatisfy { text in
                let hash = Base64URL.encode(SHA256Hash.hash(Array((text["text"]?.text ?? "").utf8)))
                return texts.contains { published in
                    published["language"] == text["language"] && published["hash"]?.text == hash
                        && published["summary"] == text["summary"]
                }
            }
    }
}

/// Reads a folder of documents and collects all mistakes instead of stopping at the first one.
private struct TermsFolderReader {
    private static let text = ".md"
    private static let summary = ".summary.txt"

    let path: String
    private(set) var problems: [String] = []

    init(path: String) { self.path = path }

    mutating func documents() -> JSONValue {
        guard let names = names(in: path) else {
            problems.append("cannot read the folder \(path)")
            return .array([])
        }
        // Files beside the documents, such as a README, are none of our business.
        let keys = names.filter { self.names(in: "\(path)/\($0)") != nil }
        if keys.isEmpty { problems.append("\(path) contains no folder with a document") }
        return .array(keys.map { document($0) })
    }

    private mutating func document(_ key: String) -> JSONValue {
        let folder = "\(path)/\(key)"
        var members = object(
            "\(folder)/document.json5",
            members: ["kind", "client", "default_language", "titles"]
        )
        members["key"] = .string(key)
        members["client_id"] = members.removeValue(forKey: "client")
        var versions: [JSONValue] = []
        for name in names(in: folder) ?? [] where name != "document.json5" {
            guard let number = Int64(name), String(number) == name else {
                problems.append(
                    "\(folder)/\(name): expected document.json5 or a folder named after a version"
                )
                continue
            }
            versions.append(version(number, in: "\(folder)/\(name)"))
        }
        members["versions"] = .array(versions)
        return .object(members)
    }

    private mutating func version(_ number: Int64, in folder: String) -> JSONValue {
        var members = object("\(folder)/version.json5", members: ["asks", "effective_at"])
        members["number"] = .integer(number)
        let names = names(in: folder) ?? []
        var texts: [JSONValue] = []
        for name in names where name != "version.json5" {
            if name.hasSuffix(Self.summary) {
                let language = name.dropLast(Self.summary.count)
                guard !names.contains(language + Self.text) else { continue }
                problems.append("\(folder)/\(name): there is no text \(language)\(Self.text)")
            } else if name.hasSuffix(Self.text) {
                let language = String(name.dropLast(Self.text.count))
                let summary = "\(language)\(Self.summary)"
                texts.append([
                    "language": .string(language), "text": .string(content("\(folder)/\(name)")),
                    "summary": .string(names.contains(summary) ? line("\(folder)/\(summary)") : ""),
                ])
            } else {
                problems.append(
                    "\(folder)/\(name): expected version.json5, a text such as en.md, or a summary such as en.summary.txt"
                )
            }
        }
        members["texts"] = .array(texts)
        return .object(members)
    }

    /// Returns the names in a folder in ascending order, or `nil` if it isn't a folder.
    ///
    /// Hidden files are skipped.
    private func names(in folder: String) -> [String]? {
        (try? FileManager.default.contentsOfDirectory(atPath: folder))?.filter { !$0.hasPrefix(".") }.sorted()
    }

    /// Reads the members of a JSON5 file.
    private mutating func object(_ file: String, members known: Set<String>) -> [String: JSONValue] {
        do {
            let bytes = try PrivateFile(file).contents()
            guard case .object(let members) = try JSONCoding.decodeJSON5(JSONValue.self, from: bytes) else {
                problems.append("\(file) is not an object")
                return [:]
            }
            for name in members.keys.sorted() where !known.contains(name) {
                problems.append("\(file): unknown member \(name.displayable)")
            }
            return members
        } catch let error as DataFolderError {
            problems.append("\(error)")
        } catch let error as InvalidUTF8 {
            problems.append("\(file) is \(error)")
        } catch let error as DuplicateMember {
            problems.append("\(file): \(error)")
        } catch {
            problems.append("\(file) is not valid JSON5")
        }
        return [:]
    }

    /// Reads a text with all of its bytes but a byte-order mark.
    private mutating func content(_ file: String) -> String {
        do throws(DataFolderError) {
            return try PrivateFile(file).text()
        } catch {
            problems.append("\(error)")
            return ""
        }
    }

    /// Reads a text without white space around it.
    private mutating func line(_ file: String) -> String {
        let text = content(file)
        guard let first = text.firstIndex(where: { !$0.isWhitespace }),
            let last = text.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(text[first...last])
    }
}
