import LatchkeyServer
import LatchkeyWire

/// The command that prints the effective settings.
struct ConfigShowCommand: Subcommand {
    let syntax = Syntax(
        name: "config show",
        summary: "show all settings, what they do and where they come from; secrets as marks",
        details: ["The output is a configuration file: change what you need, and hand it to --config."],
        options: ConfigurationOptions.places + [Option("json", nil, "Plain JSON, without comments.")],
        takesSettings: true,
        examples: [
            ("config show > latchkey.json5", "A configuration file to begin with"),
            ("config show --config latchkey.json5", "What a file comes to"),
        ]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        let configuration = try ConfigurationOptions.load(arguments, console)
        guard arguments.has("json") else { return console.write(configuration.text) }
        guard let json = try? JSONCoding.encode(configuration.json, indented: true) else { return }
        console.write(String(decoding: json, as: UTF8.self))
    }
}
