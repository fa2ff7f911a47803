import LatchkeyServer
import LatchkeyServerKit

/// The flags of commands that use the server's configuration, at least one for each setting.
enum ConfigurationOptions {
    /// The flag `--config`, which takes precedence over the variable `LATCHKEY_CONFIG`.
    static let file = Option(
        "config",
        value: "FILE",
        help: "A JSON5 file with settings. Environment variable: LATCHKEY_CONFIG."
    )

    /// The flags for all settings, whose descriptions include the defaults.
    ///
    /// A secret setting only has a flag for a file that contains the value, because other users could read
    /// the value itself in the list of processes. A setting whose value may contain a secret has a flag for
    /// the value and a flag for a file.
    static let all: [Option] =
        [file]
        + ServerConfiguration.settings.flatMap { key in
            let inFile = Option(key.fileOption, value: "FILE", help: "\(key.summary) Read from a file.")
            guard !key.isSecret else { return [inFile] }
            let plain = Option(key.option, value: key.placeholder, help: key.summaryWithDefault)
            return key.mayBeInFile ? [plain, inFile] : [plain]
        }

    /// The flags that locate the configuration and the data.
    ///
    /// Subcommands with ``Syntax/takesSettings`` list these flags in their help, and accept the others
    /// without listing them.
    static let locations = all.filter { ["config", "data", "database", "database-file"].contains($0.name) }

    /// Loads the configuration from the flags, the environment and the file.
    ///
    /// Flags override environment variables, which override the file.
    ///
    /// - Parameters:
    ///   - arguments: The parsed arguments, of which flags that are not settings are ignored.
    ///   - console: The environment, with `LATCHKEY_CONFIG` as the default of `--config`.
    /// - Returns: The configuration, with defaults for all other settings.
    /// - Throws: ``CommandFailure`` of the kind `usage`, which lists all problems, if the configuration is
    ///   invalid.
    static func load(from arguments: Arguments, console: Console) throws(CommandFailure)
        -> ServerConfiguration
    {
        var flags: [String: String] = [:]
        for key in ServerConfiguration.settings {
            if !key.isSecret, let value = arguments[key.option] { flags[key.path] = value }
            if key.mayBeInFile, let file = arguments[key.fileOption] { flags[key.path + "_file"] = file }
        }
        do {
            return try ServerConfiguration.load(
                file: arguments["config"] ?? console.environment["LATCHKEY_CONFIG"],
                environment: console.environment,
                flags: flags
            )
        } catch {
            throw CommandFailure(
                .usage,
                message: error.description,
                hint: "run latchkey config show to list all settings and their origins"
            )
        }
    }
}

extension ConfigurationKey {
    /// The name of the flag, without dashes.
    fileprivate var option: String { String(flag.dropFirst(2)) }

    /// The name of the flag for a file that contains the value, without dashes.
    fileprivate var fileOption: String { String(fileFlag.dropFirst(2)) }

    /// The description of the setting, with its default if there is one.
    fileprivate var summaryWithDefault: String {
        defaultText.map { "\(summary) Default: \($0)." } ?? summary
    }

    /// The placeholder for the value in help texts, derived from the description of accepted values.
    fileprivate var placeholder: String {
        if wanted.hasPrefix("a whole number") { return "NUMBER" }
        if wanted.hasPrefix("a duration") { return "DURATION" }
        if wanted.hasPrefix("one of ") {
            return wanted.dropFirst(7).split(separator: ", ").joined(separator: "|")
        }
        if wanted == "true or false" { return "true|false" }
        if wanted.hasPrefix("a list") { return "LIST" }
        if wanted.hasPrefix("an address") || wanted.hasPrefix("a URL") { return "URL" }
        return wanted == "JSON" ? "JSON" : "TEXT"
    }
}
