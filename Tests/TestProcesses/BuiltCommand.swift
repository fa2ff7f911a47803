import Foundation

/// The built command `latchkey`.
package enum BuiltCommand {
    /// Beside the tests, where the package manager puts both.
    package static let path = URL(fileURLWithPath: CommandLine.arguments[0])
        .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("latchkey").path

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - home: The home folder that it sees, and nothing else of our environment.
    ///   - input: What it reads.
    /// - Returns: What it left behind.
    /// - Throws: ``ChildProcess/Failure``.
    package static func run(_ arguments: [String], home: String, input: String = "") async throws
        -> ChildProcess.Outcome
    {
        let environment = ["HOME": home, "PATH": "/usr/bin:/bin"]
        return try await ChildProcess.run([path] + arguments, environment: environment, input: input)
    }
}
