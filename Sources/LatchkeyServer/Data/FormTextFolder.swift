import LatchkeyCourier
import LatchkeySelfService
import LatchkeyWire

/// A folder of files that override the built-in texts of the forms.
///
/// Each file is named `LANGUAGE.json` and contains an object that maps English texts to their replacements.
struct FormTextFolder: Sendable {
    let path: String

    /// Returns the built-in texts, with any overrides from the folder.
    ///
    /// - Throws: ``IdentityServerError`` if a file cannot be used or if the folder doesn't contain any
    ///   language files.
    func texts() throws(IdentityServerError) -> FormTranslations {
        var own: [Language: [String: String]] = [:]
        for language in Language.allCases {
            let file = "\(path)/\(language.rawValue).json"
            guard let bytes = try contents(of: file) else { continue }
            guard let words = try? JSONCoding.decode([String: String].self, from: bytes) else {
                throw IdentityServerError(
                    .configuration,
                    message: "flows.texts: \(file) is not a JSON object whose values are strings"
                )
            }
            own[language] = words
        }
        guard !own.isEmpty else {
            let names = Language.allCases.map { $0.rawValue + ".json" }.joined(separator: ", ")
            throw IdentityServerError(
                .configuration,
                message: "flows.texts: \(path) contains none of \(names)"
            )
        }
        return FormTranslations(replacing: own)
    }

    /// Returns the contents of a file, or `nil` if the file doesn't exist.
    private func contents(of file: String) throws(IdentityServerError) -> [UInt8]? {
        guard PrivateFile(file).exists else { return nil }
        do {
            return try PrivateFile(file).contents()
        } catch {
            throw IdentityServerError(.configuration, message: "flows.texts: cannot read the file \(file)")
        }
    }
}
