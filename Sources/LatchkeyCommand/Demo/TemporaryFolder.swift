#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A temporary folder for one run, which only the current user can access.
///
/// The folder exists until ``remove()`` is called, and is not deleted automatically at the end of the value's
/// lifetime.
struct TemporaryFolder: Sendable {
    /// The path, with a random last component, in `TMPDIR` or the system's default temporary folder.
    let path: String

    /// Creates the folder.
    ///
    /// - Throws: ``CommandFailure`` of the kind `storage` if the folder cannot be created.
    init() throws(CommandFailure) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-\(UUID())")
        do {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw CommandFailure(
                .storage,
                message: "cannot create a temporary folder",
                hint: "set TMPDIR to another folder"
            )
        }
        path = folder.path
    }

    /// Deletes the folder with its contents if it exists.
    ///
    /// After an interruption, other threads may still create files, so the deletion is repeated up to 50
    /// times. Errors are ignored.
    func remove() {
        for _ in 0..<50 where FileManager.default.fileExists(atPath: path) {
            try? FileManager.default.removeItem(atPath: path)
        }
    }
}
