import LatchkeyServer
import LatchkeyWire

/// Prints the settings that are in effect.
struct ConfigShowCommand: Subcommand {
    let syntax = Syntax(
        name: "config show",
        summary: "show every setting with its description and origin; secrets are masked",
        details: ["The output is a configuration file: edit it and pass it to --config."],
        options: ConfigurationOptions.locations + [Option("json", help: "Print plain JSON.")],
        takesSettings: true,
        examples: [
            ("config show > latchkey.json5", "Write a configuration file to start from"),
            ("config show --config latchkey.json5", "Show the effective settings when this file is used"),
        ]
    )

    /// Prints the settings that are in effect, as a JSON5 file with comments or, with `--json`, as plain
    /// JSON.
    ///
    /// Secrets are replaced with placeholders. In plain JSON, settings without a value are `null`.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if the configuration is invalid, or `failed` if it
    ///   can't be written as JSON.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let configuration = try ConfigurationOptions.load(from: arguments, console: console)
        guard arguments.has("json") else { return Self.write(configuration.text, to: console) }
        do {
            let json = try JSONCoding.encode(configuration.json, indented: true)
            Self.write(String(decoding: json, as: UTF8.self), to: console)
        } catch {
            throw CommandFailure(.failed, message: "cannot write the settings as JSON")
        }
    }

    /// Writes a JSON5 text, in which unsafe characters are escaped, so that it results in the same settings.
    private static func write(_ text: String, to console: Console) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            console.write(jsonLine: String(line))
        }
    }
}
