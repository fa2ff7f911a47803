import Foundation

/// The `SessionProbe` program, which acts as one process of an app with a session.
package struct SessionProbe: Sendable {
    private static let path = URL(fileURLWithPath: CommandLine.arguments[0])
        .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("SessionProbe").path

    private let words: [String]
    private let environment: [String: String]

    /// Creates a probe for a session on a server.
    ///
    /// The session is stored in a folder.
    ///
    /// - Parameters:
    ///   - server: The server's URL.
    ///   - folder: The folder for the session. This folder is also used as the home folder.
    ///   - environment: Additional environment variables.
    package init(server: String, folder: String, environment: [String: String] = [:]) {
        words = [Self.path, server, folder]
        self.environment = ["HOME": folder, "PATH": "/usr/bin:/bin"].merging(environment) { _, given in given
        }
    }

    /// Starts the probe.
    package func start(_ operations: String...) async throws -> ChildProcess {
        try await ChildProcess.start(words + operations, environment: environment)
    }

    /// Runs the probe until it exits.
    package func run(
        _ operations: String...,
        under tracer: [String] = []
    ) async throws -> ChildProcess.Outcome {
        try await ChildProcess.run(tracer + words + operations, environment: environment)
    }
}
