import LatchkeyServer

/// Validates a configuration.
struct ConfigCheckCommand: Subcommand {
    let syntax = Syntax(
        name: "config check",
        summary: "check a configuration without starting the server",
        details: [
            "Performs all checks that serve performs when it starts: of the settings, the files that they name, the data folder and the listen addresses. Reports every problem, and does not create or change anything.",
            "Does not connect to PostgreSQL, a mail server or another provider, and ignores whether the ports are in use.",
        ],
        options: ConfigurationOptions.locations,
        takesSettings: true,
        examples: [("config check --config latchkey.json5", "Check before a restart")]
    )

    /// Performs the checks that a server performs when it starts.
    ///
    /// Warnings about insecure settings and ignored members of schemas are printed to standard error and don't
    /// affect the exit code.
    ///
    /// - Throws: ``CommandFailure`` that lists all problems. The code is the one with which `serve` would
    ///   fail.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let configuration = try await ConfigurationOptions.check(arguments, console: console)
        for warning in configuration.warnings + configuration.schemaWarnings {
            console.report("warning: \(warning)")
        }
        console.write("The configuration is valid.")
    }
}
