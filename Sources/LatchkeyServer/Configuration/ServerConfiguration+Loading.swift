extension ServerConfiguration {
    /// Loads a configuration from flags, which override environment variables, which override a file.
    ///
    /// - Parameters:
    ///   - file: The path of a JSON5 file; `nil` for no file.
    ///   - environment: The process environment, from which the `LATCHKEY_…` variables are read.
    ///   - flags: The settings from the command line, keyed by name, such as `["admin.port": "4434"]`, and
    ///     without secrets.
    /// - Returns: The configuration, with defaults for all other settings.
    /// - Throws: ``ConfigurationError`` with all unknown keys, invalid values and contradictions.
    public static func load(
        file: String? = nil,
        environment: [String: String] = [:],
        flags: [String: String] = [:]
    ) throws(ConfigurationError) -> ServerConfiguration {
        try load(file: file, environment: environment, flags: flags) { path in
            try? PrivateFile(path).contents()
        } isOpenToOthers: { path in
            PrivateFile(path).isOpenToOthers
        }
    }

    /// Loads a configuration with replaceable access to files, for tests.
    ///
    /// - Parameters:
    ///   - file: The path of a JSON5 file; `nil` for no file.
    ///   - environment: The process environment.
    ///   - flags: The settings from the command line, keyed by name.
    ///   - contents: Returns the contents of a file; `nil` if it cannot be read.
    ///   - isOpenToOthers: Returns whether other users can read or write a file.
    /// - Returns: The configuration, with defaults for all other settings.
    /// - Throws: ``ConfigurationError`` with all problems.
    package static func load(
        file: String?,
        environment: [String: String],
        flags: [String: String],
        contents: @escaping (String) -> [UInt8]?,
        isOpenToOthers: @escaping (String) -> Bool = { _ in false }
    ) throws(ConfigurationError) -> ServerConfiguration {
        var reader = ConfigurationReader(
            environment: environment,
            contents: contents,
            isOpenToOthers: isOpenToOthers
        )
        if let file { reader.readFile(file) }
        reader.readEnvironment(environment)
        reader.readFlags(flags)
        return try reader.finish()
    }

    /// Returns the default data folder: `$XDG_DATA_HOME/latchkey/server`.
    ///
    /// - Parameter environment: The process environment, from which `XDG_DATA_HOME` and `HOME` are read.
    /// - Returns: The folder, which is below `XDG_DATA_HOME` if that is an absolute path, and otherwise below
    ///   `~/.local/share`. The path is relative to the working folder if `HOME` is not an absolute path
    ///   either.
    public static func defaultData(environment: [String: String]) -> String {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/latchkey/server" }
        if let home = environment["HOME"], home.hasPrefix("/") {
            return home + "/.local/share/latchkey/server"
        }
        return "latchkey-server"
    }
}
