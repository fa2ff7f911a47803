import Foundation

/// The built program `StoreProbe`, which performs operations on a store in a process of its own.
package struct StoreProbe: Sendable {
    private static let path = URL(fileURLWithPath: CommandLine.arguments[0])
        .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("StoreProbe").path

    private let words: [String]
    private let environment: [String: String]

    /// A probe of a store.
    ///
    /// - Parameters:
    ///   - folder: Where the store's folders are: `data` and `key`.
    ///   - level: `file`, `keyring` or `automatic`.
    ///   - environment: Its environment; without a bus if not given.
    package init(_ folder: String, level: String = "file", environment: [String: String]? = nil) {
        words = [Self.path, folder, level]
        self.environment = environment ?? ["HOME": folder, "PATH": "/usr/bin:/bin"]
    }

    /// Starts it.
    package func start(_ operations: String..., under tracer: [String] = []) async throws -> ChildProcess {
        try await ChildProcess.start(tracer + words + operations, environment: environment)
    }

    /// Runs it to its end and gives what it printed, one line for each operation.
    package func run(_ operations: String..., under tracer: [String] = []) async throws -> [String] {
        let outcome = try await ChildProcess.run(tracer + words + operations, environment: environment)
        return outcome.output.split(separator: "\n").map(String.init)
    }

    /// What disturbs a process at one of its system calls.
    ///
    /// - Parameters:
    ///   - calls: The system calls that count.
    ///   - fault: What happens at one of them, such as `signal=KILL` or `error=ENOSPC`.
    ///   - number: At which of them; a `+` after it means all from there on.
    /// - Returns: The command that starts the probe.
    package static func disturbing(_ calls: String, _ fault: String, at number: String) -> [String] {
        ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=\(calls):\(fault):when=\(number)"]
    }
}
