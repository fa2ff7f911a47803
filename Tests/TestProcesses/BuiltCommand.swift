import Foundation

/// The `latchkey` command that was built together with the tests.
package enum BuiltCommand {
    /// The path of the program.
    ///
    /// The program is in the same folder as the tests.
    package static let path = URL(fileURLWithPath: CommandLine.arguments[0])
        .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("latchkey").path

    /// Runs the command until it exits.
    ///
    /// - Parameters:
    ///   - arguments: The command's arguments.
    ///   - home: The home folder. The command does not inherit any other environment variables.
    ///   - input: The text to pass on standard input.
    /// - Returns: The exit code and the output.
    /// - Throws: ``ChildProcess/Failure`` if the command cannot be started.
    package static func run(_ arguments: [String], home: String, input: String = "") async throws
        -> ChildProcess.Outcome
    {
        let environment = ["HOME": home, "PATH": "/usr/bin:/bin"]
        return try await ChildProcess.run([path] + arguments, environment: environment, input: input)
    }
}
