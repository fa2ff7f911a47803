extension ServerConfiguration {
    /// Loads a configuration from a file, environment variables and flags.
    ///
    /// Flags override environment variables, and environment variables override the file.
    ///
    /// - Parameters:
    ///   - file: The path of a JSON5 file, or `nil` if there is no file.
    ///   - environment: The environment variables of the process. Only variables that start with `LATCHKEY_`
    ///     are settings.
    ///   - flags: The settings from the command line, keyed by name, such as `admin.port`. The values must
    ///     not contain secrets.
    /// - Returns: The configuration. Settings that were not specified have their default values. If there is
    ///   no default data folder, ``data`` is empty, and the server doesn't start.
    /// - Throws: ``ConfigurationError`` with all unknown keys, invalid values and contradictions.
    public static func load(
        file: String? = nil,
        environment: [String: String] = [:],
        flags: [String: String] = [:]
    ) throws(ConfigurationError) -> ServerConfiguration {
        let (configuration, problems) = read(file: file, environment: environment, flags: flags)
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return configuration
    }

    /// Loads a configuration, using the given closures to access files.
    ///
    /// Tests use this method.
    ///
    /// - Parameters:
    ///   - file: The path of a JSON5 file, or `nil` if there is no file.
    ///   - environment: The environment variables of the process.
    ///   - flags: The settings from the command line, with the names of the settings as keys.
    ///   - contents: Returns the contents of a file, or `nil` if the file cannot be read.
    ///   - isOpenToOthers: Returns whether other users can read or write a file.
    /// - Returns: The configuration. Settings that were not specified have their default values.
    /// - Throws: ``ConfigurationError`` with all problems.
    package static func load(
        file: String?,
        environment: [String: String],
        flags: [String: String],
        contents: @escaping (String) -> [UInt8]?,
        isOpenToOthers: @escaping (String) -> Bool = { _ in false }
    ) throws(ConfigurationError) -> ServerConfiguration {
        let (configuration, problems) = read(
            file: file,
            environment: environment,
            flags: flags,
            contents: contents,
            isOpenToOthers: isOpenToOthers
        )
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return configuration
    }

    /// Reads a configuration, in which invalid settings have their default values, and all problems with it.
    static func read(
        file: String?,
        environment: [String: String],
        flags: [String: String],
        contents: @escaping (String) -> [UInt8]? = { try? PrivateFile($0).contents() },
        isOpenToOthers: @escaping (String) -> Bool = { PrivateFile($0).isOpenToOthers }
    ) -> (configuration: ServerConfiguration, problems: [ConfigurationError.Problem]) {
        var reader = ConfigurationReader(
            environment: environment,
            contents: contents,
            isOpenToOthers: isOpenToOthers
        )
        if let file { reader.readFile(file) }
        reader.readEnvironment(environment)
        reader.readFlags(flags)
        return reader.result
    }

    /// Returns the default data folder: `$XDG_DATA_HOME/latchkey/server`.
    ///
    /// - Parameter environment: The environment variables of the process. Only `XDG_DATA_HOME` and `HOME` are
    ///   used.
    /// - Returns: The path of the folder. The folder is in `XDG_DATA_HOME` if that is an absolute path, and
    ///   in `~/.local/share` otherwise. If `HOME` is not an absolute path either, the result is `nil`.
    public static func defaultData(environment: [String: String]) -> String? {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/latchkey/server" }
        if let home = environment["HOME"], home.hasPrefix("/") {
            return home + "/.local/share/latchkey/server"
        }
        return nil
    }
}
