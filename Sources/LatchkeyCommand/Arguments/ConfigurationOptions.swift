import LatchkeyServer
import LatchkeyServerKit

/// Flags for commands that use the server's configuration.
///
/// There is at least one flag for every setting.
enum ConfigurationOptions {
    /// The flag `--config`, which overrides the environment variable `LATCHKEY_CONFIG`.
    static let file = Option(
        "config",
        value: "FILE",
        help: "A JSON5 file with settings. Environment variable: LATCHKEY_CONFIG."
    )

    /// The flags for all settings.
    ///
    /// The description of each flag includes the default value.
    ///
    /// Secrets can only be read from a file, because other users could see a value on the command line in the
    /// list of processes. A setting that may or may not contain a secret has two flags: one for the value and
    /// one for a file.
    static let all: [Option] =
        [file]
        + ServerConfiguration.settings.flatMap { key in
            let inFile = Option(key.fileOption, value: "FILE", help: "\(key.summary) Read from a file.")
            guard !key.isSecret else { return [inFile] }
            let plain = Option(key.option, value: key.placeholder, help: key.summaryWithDefault)
            return key.mayBeInFile ? [plain, inFile] : [plain]
        }

    /// The flags that specify where the configuration and the data are stored.
    ///
    /// If a subcommand has ``Syntax/takesSettings`` set, the subcommand accepts all configuration flags, but
    /// its help page lists only the flags in this array.
    static let locations = all.filter { ["config", "data", "database", "database-file"].contains($0.name) }

    /// Loads the configuration from flags, environment variables and the configuration file.
    ///
    /// Flags override environment variables, which override the file.
    ///
    /// - Parameters:
    ///   - arguments: The parsed arguments. Flags that aren't settings are ignored.
    ///   - console: The console, which provides the environment variables. `LATCHKEY_CONFIG` is used if there
    ///     is no `--config` flag.
    /// - Returns: The configuration. Settings that weren't given have their default values.
    /// - Throws: ``CommandFailure`` with the code `usage` if the configuration is invalid. The message lists
    ///   all problems.
    static func load(from arguments: Arguments, console: Console) throws(CommandFailure)
        -> ServerConfiguration
    {
        do {
            return try ServerConfiguration.load(
                file: file(from: arguments, console: console),
                environment: console.environment,
                flags: flags(from: arguments)
            )
        } catch {
            throw CommandFailure(
                .usage,
                message: error.description,
                hint: "run latchkey config show to list all settings and their origins"
            )
        }
    }

    /// Loads the configuration like ``load(from:console:)``, and performs all checks that a server performs
    /// when it starts.
    ///
    /// - Throws: ``CommandFailure``, as created by ``CommandFailure/init(starting:)``. The message lists all
    ///   problems.
    static func check(_ arguments: Arguments, console: Console) async throws(CommandFailure)
        -> ServerConfiguration
    {
        do {
            return try await ServerConfiguration.check(
                file: file(from: arguments, console: console),
                environment: console.environment,
                flags: flags(from: arguments)
            )
        } catch {
            throw CommandFailure(starting: error)
        }
    }

    /// Returns the path of the configuration file.
    private static func file(from arguments: Arguments, console: Console) -> String? {
        arguments["config"] ?? console.environment["LATCHKEY_CONFIG"]
    }

    /// Returns the settings that were given as flags, keyed by name.
    private static func flags(from arguments: Arguments) -> [String: String] {
        var flags: [String: String] = [:]
        for key in ServerConfiguration.settings {
            if !key.isSecret, let value = arguments[key.option] { flags[key.path] = value }
            if key.mayBeInFile, let file = arguments[key.fileOption] { flags[key.path + "_file"] = file }
        }
        return flags
    }
}

extension ConfigurationKey {
    /// The flag name without dashes.
    fileprivate var option: String { String(flag.dropFirst(2)) }

    /// The name of the flag that reads the value from a file, without dashes.
    fileprivate var fileOption: String { String(fileFlag.dropFirst(2)) }

    /// The description of the setting, including its default value if it has one.
    fileprivate var summaryWithDefault: String {
        defaultText.map { "\(summary) Default: \($0)." } ?? summary
    }

    /// The placeholder that stands for the value in help texts.
    ///
    /// The placeholder is derived from the description of the accepted values.
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
