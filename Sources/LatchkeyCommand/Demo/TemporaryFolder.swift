#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A temporary folder that only the current user can access.
///
/// The folder isn't deleted automatically. Call ``remove()`` when you no longer need the folder.
struct TemporaryFolder: Sendable {
    /// The path of the folder, which is located in `TMPDIR` or the system's temporary folder and has a random
    /// name.
    let path: String

    /// Creates the folder.
    ///
    /// - Throws: ``CommandFailure`` with the code `storage` if the folder can't be created.
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

    /// Deletes the folder and its contents.
    ///
    /// If the process has been interrupted, other threads may still be creating files, so this method tries
    /// up to 50 times to delete the folder and ignores errors.
    func remove() {
        for _ in 0..<50 where FileManager.default.fileExists(atPath: path) {
            try? FileManager.default.removeItem(atPath: path)
        }
    }
}
