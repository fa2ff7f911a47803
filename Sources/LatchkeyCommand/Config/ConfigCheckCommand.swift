import LatchkeyServer

/// Validates a configuration.
struct ConfigCheckCommand: Subcommand {
    let syntax = Syntax(
        name: "config check",
        summary: "check a configuration without starting the server",
        details: [
            "Reads the configuration file, the environment variables and the flags just like serve does, and also checks the message templates. Does not start a server."
        ],
        options: ConfigurationOptions.locations,
        takesSettings: true,
        examples: [("config check --config latchkey.json5", "Check before a restart")]
    )

    /// Validates the settings and the files that the courier settings refer to.
    ///
    /// The command doesn't open the database. Warnings about insecure settings are printed to standard error
    /// and don't affect the exit code.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if a setting or file is invalid.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let configuration = try ConfigurationOptions.load(from: arguments, console: console)
        do {
            try configuration.checkCourierFiles()
        } catch {
            throw CommandFailure(.usage, message: error.description)
        }
        for warning in configuration.warnings { console.report("warning: \(warning)") }
        console.write("The configuration is valid.")
    }
}
