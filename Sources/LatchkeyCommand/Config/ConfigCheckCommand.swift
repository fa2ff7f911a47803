import LatchkeyServer

/// The command that validates a configuration.
struct ConfigCheckCommand: Subcommand {
    let syntax = Syntax(
        name: "config check",
        summary: "check a configuration without starting the server",
        details: [
            "Reads the file, the environment variables and the flags as serve does, and also the message templates. Does not start a server."
        ],
        options: ConfigurationOptions.locations,
        takesSettings: true,
        examples: [("config check --config latchkey.json5", "Check before a restart")]
    )

    /// Validates the settings and the files that the courier settings name, without opening the database.
    ///
    /// Warnings about unsafe settings are printed to standard error and do not change the exit code.
    ///
    /// - Throws: ``CommandFailure`` of the kind `usage` for invalid settings or files.
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
