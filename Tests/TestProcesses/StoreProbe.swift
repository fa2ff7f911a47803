import Foundation

/// The `StoreProbe` program, which performs operations on a store in a separate process.
package struct StoreProbe: Sendable {
    private static let path = URL(fileURLWithPath: CommandLine.arguments[0])
        .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("StoreProbe").path

    private let words: [String]
    private let environment: [String: String]

    /// Creates a probe for a store.
    ///
    /// - Parameters:
    ///   - folder: The folder that contains the store's `data` and `key` folders.
    ///   - level: `file`, `keyring` or `automatic`.
    ///   - environment: The environment variables. By default, no message bus is specified.
    package init(_ folder: String, level: String = "file", environment: [String: String]? = nil) {
        words = [Self.path, folder, level]
        self.environment = environment ?? ["HOME": folder, "PATH": "/usr/bin:/bin"]
    }

    /// Starts the probe.
    package func start(_ operations: String..., under tracer: [String] = []) async throws -> ChildProcess {
        try await ChildProcess.start(tracer + words + operations, environment: environment)
    }

    /// Runs the probe until it exits and returns its output, with one line per operation.
    package func run(_ operations: String..., under tracer: [String] = []) async throws -> [String] {
        let outcome = try await ChildProcess.run(tracer + words + operations, environment: environment)
        return outcome.output.split(separator: "\n").map(String.init)
    }

    /// Returns a command that injects a fault into a process at one of its system calls.
    ///
    /// - Parameters:
    ///   - calls: The system calls to count.
    ///   - fault: The fault to inject, such as `signal=KILL` or `error=ENOSPC`.
    ///   - number: The number of the call at which the fault is injected. If the number is followed by `+`,
    ///     the fault is also injected at all later calls.
    /// - Returns: The beginning of the command line, to be followed by the probe's command.
    package static func disturbing(_ calls: String, _ fault: String, at number: String) -> [String] {
        ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=\(calls):\(fault):when=\(number)"]
    }
}
