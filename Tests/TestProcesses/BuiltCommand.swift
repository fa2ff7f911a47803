import Foundation

/// The command `latchkey`, as built together with the tests.
package enum BuiltCommand {
    /// The path of the program, which is in the same folder as the tests.
    package static let path = URL(fileURLWithPath: CommandLine.arguments[0])
        .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("latchkey").path

    /// Runs the command until it exits.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the command.
    ///   - home: The home folder, which is the only part of the environment that the command receives.
    ///   - input: The text on standard input.
    /// - Returns: The exit code and the output.
    /// - Throws: ``ChildProcess/Failure``.
    package static func run(_ arguments: [String], home: String, input: String = "") async throws
        -> ChildProcess.Outcome
    {
        let environment = ["HOME": home, "PATH": "/usr/bin:/bin"]
        return try await ChildProcess.run([path] + arguments, environment: environment, input: input)
    }
}
