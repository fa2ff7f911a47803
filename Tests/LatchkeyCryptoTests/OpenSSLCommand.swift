import Foundation
import TestProcesses

/// Runs the `openssl` command in a temporary folder, which is deleted when the last reference is released.
final class OpenSSLCommand: Sendable {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "openssl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
    }

    /// Runs an `openssl` command in the folder.
    @discardableResult
    func run(_ arguments: [String]) async throws -> ChildProcess.Outcome {
        try await ChildProcess.run(["openssl"] + arguments, in: folder.path)
    }
}
