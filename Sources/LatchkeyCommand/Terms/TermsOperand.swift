import LatchkeyServer
import LatchkeyWire

/// Reads the folder that an operator publishes.
enum TermsOperand {
    /// The paragraph on the help pages that describes the folder.
    static let detail =
        "The folder contains a folder KEY for each document, with a file document.json5 (kind, client, default_language, titles) and a folder for each version that is named after its number, with a file version.json5 (asks: acceptance, acknowledgement or nothing; effective_at), and for each language a text such as nb.md and maybe a summary of the changes such as nb.summary.txt."

    /// Reads a folder.
    ///
    /// - Throws: ``CommandFailure`` with the code `failed` and one line for each mistake.
    static func folder(_ path: String) throws(CommandFailure) -> TermsFolder {
        do throws(IdentityServerError) {
            return try TermsFolder(path: path)
        } catch {
            throw CommandFailure(.failed, message: error.message)
        }
    }

    /// Returns the documents of a folder without what is already published.
    static func documents(
        of folder: TermsFolder,
        with client: AdminClient
    ) async throws(CommandFailure) -> JSONValue {
        folder.documents(without: try await client.send(.get, path: TermsAdminRoute.documents))
    }
}
