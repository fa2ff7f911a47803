import LatchkeyCourier
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire

/// A folder of files that override the built-in texts of the forms.
///
/// Each file is named `LANGUAGE.json` and contains an object that maps English texts to their replacements.
struct FormTextFolder: Sendable {
    let path: String

    /// Returns the built-in texts, with any overrides from the folder.
    ///
    /// - Throws: ``IdentityServerError``, which lists each file that cannot be used, or states that the folder
    ///   doesn't contain any language files.
    func texts() throws(IdentityServerError) -> FormTranslations {
        var own: [Language: [String: String]] = [:]
        var problems: [String] = []
        for language in Language.allCases {
            let file = PrivateFile("\(path)/\(language.rawValue).json")
            guard file.exists else { continue }
            do throws(IdentityServerError) {
                own[language] = try words(in: file)
            } catch {
                problems.append(error.message)
            }
        }
        guard problems.isEmpty else {
            throw IdentityServerError(.configuration, message: problems.joined(separator: "\n"))
        }
        guard !own.isEmpty else {
            let names = Language.allCases.map { $0.rawValue + ".json" }.joined(separator: ", ")
            throw IdentityServerError(.configuration, message: "\(path) contains none of \(names)")
        }
        return FormTranslations(replacing: own)
    }

    private func words(in file: PrivateFile) throws(IdentityServerError) -> [String: String] {
        guard let bytes = try? file.contents() else {
            throw IdentityServerError(.configuration, message: "cannot read the file \(file.path)")
        }
        do throws(JSONParser.Failure) {
            _ = try JSONParser.parse(bytes, from: .storage)
        } catch {
            throw IdentityServerError(.configuration, message: "\(file.path): \(error)")
        }
        guard let words = try? JSONCoding.decode([String: String].self, from: bytes) else {
            throw IdentityServerError(
                .configuration,
                message: "\(file.path) is not a JSON object whose values are strings"
            )
        }
        return words
    }
}
