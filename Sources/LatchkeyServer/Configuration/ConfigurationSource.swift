/// Where a setting came from.
package enum ConfigurationSource: Hashable, Sendable, CustomStringConvertible {
    /// The path of a configuration file.
    case file(String)
    /// The name of an environment variable.
    case environment(String)
    /// A command-line flag, including its dashes.
    case flag(String)

    /// The path of the configuration file, or `nil` for other sources.
    var path: String? {
        if case .file(let path) = self { path } else { nil }
    }

    /// The path, variable name or flag that the setting was read from.
    package var description: String {
        switch self {
        case .file(let path): path
        case .environment(let name): name
        case .flag(let name): name
        }
    }
}
