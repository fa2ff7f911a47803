import Foundation

/// A folder of one test's own, gone with the value.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-\(UUID())")
        try? FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        path = folder.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Makes a folder within.
    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
    }

    /// Writes a file and returns its path.
    func write(_ text: String, as name: String = "file") throws -> String {
        let file = path + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }
}
