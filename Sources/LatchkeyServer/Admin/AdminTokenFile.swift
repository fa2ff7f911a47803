import LatchkeyModel
import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The file in the data folder that contains the admin token.
///
/// Commands that run on the same machine read the token from this file.
struct AdminTokenFile: Sendable {
    private let file: PrivateFile

    /// Creates a reference to the token file in an existing data folder.
    init(in folder: DataFolder) {
        file = folder.file("admin.token")
    }

    /// Creates a reference to the token file without creating the data folder.
    init(data path: String) {
        file = PrivateFile(path + "/admin.token")
    }

    /// Writes the token to the file, unless the file already contains the token.
    ///
    /// Only the owner can read the file. The caller must hold the lock on the data folder.
    ///
    /// - Throws: ``DataFolderError`` if the file cannot be read or written.
    func store(_ token: Secret) throws(DataFolderError) {
        if try !contains(token) { try file.replace(with: Self.bytes(of: token)) }
    }

    /// Returns whether a server would replace or delete an existing file when it starts.
    ///
    /// - Parameters:
    ///   - settings: The settings of the admin listener, which may contain the token.
    ///   - secrets: The secrets that the token is derived from otherwise, or `nil` if there are none yet.
    /// - Returns: Whether an existing file would be replaced or deleted.
    /// - Throws: ``DataFolderError`` if the file cannot be read.
    func isChanged(by settings: AdminSettings, secrets: ServerSecrets?) throws(DataFolderError) -> Bool {
        guard file.exists else { return false }
        guard settings.token == nil, let secrets else { return true }
        return try !contains(AdminTokens(secrets).current)
    }

    /// Returns whether only the owner can read the file, and it contains the token.
    private func contains(_ token: Secret) throws(DataFolderError) -> Bool {
        guard file.exists, !file.isOpenToOthers else { return false }
        return try file.contents() == Self.bytes(of: token)
    }

    private static func bytes(of token: Secret) -> [UInt8] { Array((token.exposed + "\n").utf8) }

    /// Deletes the file, if it exists.
    func remove() throws(DataFolderError) {
        guard unlink(file.path) == 0 || errno == ENOENT else {
            throw DataFolderError("cannot delete", path: file.path, errno: errno)
        }
    }

    /// Reads the token from the first line of the file.
    ///
    /// - Returns: The token, or `nil` if the file doesn't exist.
    /// - Throws: ``DataFolderError`` if the file cannot be read or isn't UTF-8.
    func token() throws(DataFolderError) -> Secret? {
        guard try file.contentsIfPresent() != nil else { return nil }
        return Secret(String(try file.text().prefix { !$0.isNewline }))
    }
}
