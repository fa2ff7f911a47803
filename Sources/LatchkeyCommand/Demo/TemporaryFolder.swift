#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A folder of its own for one run, readable by this user alone.
struct TemporaryFolder: Sendable {
    let path: String

    /// Makes the folder.
    ///
    /// - Throws: ``CommandFailure`` of the kind `storage`.
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
                "no temporary folder can be made",
                hint: "TMPDIR names another place"
            )
        }
        path = folder.path
    }

    /// Removes the folder and all that is in it.
    ///
    /// In an interruption, others may still be making files there; each time round there are fewer.
    func remove() {
        for _ in 0..<50 where FileManager.default.fileExists(atPath: path) {
            try? FileManager.default.removeItem(atPath: path)
        }
    }
}
