import Foundation

/// The `openssl` command line in a folder of its own, which goes away with this value's last reference.
final class OpenSSLCommand: Sendable {
    struct Outcome: Sendable {
        let status: Int32
        let output: String
    }

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

    /// Runs a command in the folder; waits without holding a thread.
    @discardableResult
    func run(_ arguments: [String]) async throws -> Outcome {
        let transcript = folder.appending(path: "output-\(UUID().uuidString)")
        try Data().write(to: transcript)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        let file = try FileHandle(forWritingTo: transcript)
        process.standardOutput = file
        process.standardError = file
        let status = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        try file.close()
        return Outcome(
            status: status,
            output: String(decoding: try Data(contentsOf: transcript), as: UTF8.self)
        )
    }
}
