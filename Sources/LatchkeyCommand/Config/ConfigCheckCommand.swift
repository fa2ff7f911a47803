import LatchkeyServer

/// The command that validates a configuration.
struct ConfigCheckCommand: Subcommand {
    let syntax = Syntax(
        name: "config check",
        summary: "say whether a configuration can be used",
        details: [
            "Reads the file, the variables and the flags as serve would, and the texts of messages; starts nothing."
        ],
        options: ConfigurationOptions.places,
        takesSettings: true,
        examples: [("config check --config latchkey.json5", "Before a restart")]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        let configuration = try ConfigurationOptions.load(arguments, console)
        do {
            try configuration.checkCourierFiles()
        } catch {
            throw CommandFailure(.usage, error.description)
        }
        for warning in configuration.warnings { console.remark("warning: \(warning)") }
        console.write("The configuration can be used.")
    }
}
