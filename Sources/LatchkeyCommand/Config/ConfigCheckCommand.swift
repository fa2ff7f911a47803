import LatchkeyServer

/// Says whether a configuration can be used.
struct ConfigCheckCommand: Subcommand {
    let syntax = Syntax(
        name: "config check",
        summary: "say whether a configuration can be used",
        details: ["Reads the file, the variables and the flags as serve would, and starts nothing."],
        options: ConfigurationOptions.all,
        examples: [("config check --config latchkey.json5", "Before a restart")]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        _ = try ConfigurationOptions.load(arguments, console)
        console.write("The configuration can be used.")
    }
}
