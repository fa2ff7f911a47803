extension ServerConfiguration {
    /// Puts a configuration together; a flag wins over a variable, a variable over the file.
    ///
    /// - Parameters:
    ///   - file: The path of a JSON5 file; nothing for none.
    ///   - environment: The environment; its `LATCHKEY_…` variables are read.
    ///   - flags: Settings from a command line, by key: `["admin.port": "4434"]`; secrets cannot be among them.
    /// - Returns: The configuration.
    /// - Throws: ``ConfigurationError`` with all unknown keys, wrong values and contradictions.
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

    /// The same, with files that come from elsewhere than the disk.
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

    /// The data folder of a server that is told nothing: `$XDG_DATA_HOME/latchkey/server`.
    ///
    /// - Parameter environment: The environment.
    /// - Returns: The folder; below `~/.local/share` when `XDG_DATA_HOME` is not set.
    public static func defaultData(environment: [String: String]) -> String {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/latchkey/server" }
        if let home = environment["HOME"], home.hasPrefix("/") {
            return home + "/.local/share/latchkey/server"
        }
        return "latchkey-server"
    }
}
