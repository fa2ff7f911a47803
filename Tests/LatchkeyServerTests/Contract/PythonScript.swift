import Foundation
import TestProcesses

/// A script of ours that drives a published Python package, run with the environment that `scripts/setup --tests` makes.
struct PythonScript {
    private let path: String
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    init(_ name: String) {
        path = Self.root.appending(path: "Tests/Interop").appending(path: name).path()
    }

    /// Runs the script to its end.
    func run(_ arguments: String...) async throws -> ChildProcess.Outcome {
        let python = Self.root.appending(path: ".venv/bin/python").path()
        return try await ChildProcess.run([python, path] + arguments)
    }
}
