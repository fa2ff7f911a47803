import Foundation

/// A script of ours that drives a published Python package, run with the environment that `scripts/setup --tests` makes.
struct PythonScript {
    struct Outcome: Sendable {
        var status: Int32
        var output: String
    }

    private let path: String
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    init(_ name: String) {
        path = Self.root.appending(path: "Tests/Interop").appending(path: name).path()
    }

    /// Runs the script in a process of its own; nothing waits on a thread of the tests.
    func run(_ arguments: String...) async throws -> Outcome {
        let process = Process()
        process.executableURL = Self.root.appending(path: ".venv/bin/python")
        process.arguments = [path] + arguments
        let output = URL.temporaryDirectory.appending(path: "latchkey-script-\(UUID())")
        try Data().write(to: output)
        defer { try? FileManager.default.removeItem(at: output) }
        let handle = try FileHandle(forWritingTo: output)
        process.standardOutput = handle
        process.standardError = handle
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        return Outcome(status: status, output: try String(contentsOf: output, encoding: .utf8))
    }
}
