import Foundation

/// A temporary folder for one test.
///
/// The folder is deleted along with this value.
final class TestFolder: Sendable {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "/latchkey-command-\(UUID())"
        try? FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
