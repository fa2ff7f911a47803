import LatchkeyModel

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The file in the data folder from which commands on the same machine read the admin token.
struct AdminTokenFile: Sendable {
    private let file: PrivateFile

    init(in folder: DataFolder) {
        file = folder.file("admin.token")
    }

    /// Names the file without creating the folder.
    init(data path: String) {
        file = PrivateFile(path + "/admin.token")
    }

    /// Writes a token unless the file holds it already, for its owner alone.
    func store(_ token: Secret) throws(DataFolderError) {
        let bytes = Array((token.exposed + "\n").utf8)
        if file.exists, !file.isOpenToOthers, try file.contents() == bytes { return }
        try file.replace(with: bytes)
    }

    /// Deletes the file, whose token is no longer accepted.
    func remove() throws(DataFolderError) {
        guard unlink(file.path) == 0 || errno == ENOENT else {
            throw DataFolderError("cannot delete", file.path, errno)
        }
    }

    /// Reads the token.
    ///
    /// - Returns: The token, or `nil` if there is no such file.
    /// - Throws: ``DataFolderError`` if the file cannot be read.
    func token() throws(DataFolderError) -> Secret? {
        guard let bytes = try file.contentsIfPresent() else { return nil }
        return Secret(String(String(decoding: bytes, as: UTF8.self).prefix { !$0.isNewline }))
    }
}
