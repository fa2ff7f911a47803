import LatchkeyModel

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The file in the data folder from which commands on the same machine read the admin token.
struct AdminTokenFile: Sendable {
    private let file: PrivateFile

    /// Creates a reference to the file in an existing folder.
    init(in folder: DataFolder) {
        file = folder.file("admin.token")
    }

    /// Creates a reference to the file without creating the folder.
    init(data path: String) {
        file = PrivateFile(path + "/admin.token")
    }

    /// Writes the token to the file, which only the owner can read, unless the file already contains the
    /// token.
    ///
    /// Call this method while holding the folder's lock.
    ///
    /// - Throws: ``DataFolderError`` if the file cannot be read or written.
    func store(_ token: Secret) throws(DataFolderError) {
        let bytes = Array((token.exposed + "\n").utf8)
        if file.exists, !file.isOpenToOthers, try file.contents() == bytes { return }
        try file.replace(with: bytes)
    }

    /// Deletes the file if it exists, because its token is no longer accepted.
    func remove() throws(DataFolderError) {
        guard unlink(file.path) == 0 || errno == ENOENT else {
            throw DataFolderError("cannot delete", path: file.path, errno: errno)
        }
    }

    /// Reads the token from the first line of the file.
    ///
    /// - Returns: The token, or `nil` if the file does not exist.
    /// - Throws: ``DataFolderError`` if the file cannot be read.
    func token() throws(DataFolderError) -> Secret? {
        guard let bytes = try file.contentsIfPresent() else { return nil }
        return Secret(String(String(decoding: bytes, as: UTF8.self).prefix { !$0.isNewline }))
    }
}
