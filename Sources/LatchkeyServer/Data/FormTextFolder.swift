import LatchkeyServerCore
import LatchkeyWire

/// A folder of an operator's own words for forms: `LANGUAGE.json`, an object of English text to text.
struct FormTextFolder: Sendable {
    let path: String

    /// The built-in words with those of the folder in their place.
    ///
    /// - Throws: ``IdentityServerError`` that names the file that cannot be used.
    func texts() throws(IdentityServerError) -> FormTexts {
        var own: [Language: [String: String]] = [:]
        for language in Language.allCases {
            let file = "\(path)/\(language.rawValue).json"
            guard let bytes = try contents(of: file) else { continue }
            guard let words = try? JSONCoding.decode([String: String].self, from: bytes) else {
                throw IdentityServerError(
                    .configuration,
                    "flows.texts cannot be used: \(file) is no JSON object of text to text"
                )
            }
            own[language] = words
        }
        guard !own.isEmpty else {
            let names = Language.allCases.map { $0.rawValue + ".json" }.joined(separator: ", ")
            throw IdentityServerError(.configuration, "flows.texts: there is none of \(names) in \(path)")
        }
        return FormTexts(replacing: own)
    }

    /// The bytes of a file; nothing where there is none.
    private func contents(of file: String) throws(IdentityServerError) -> [UInt8]? {
        guard PrivateFile(file).exists else { return nil }
        do {
            return try PrivateFile(file).contents()
        } catch {
            throw IdentityServerError(.configuration, "flows.texts: cannot read the file \(file)")
        }
    }
}
