/// The source of a setting.
package enum ConfigurationSource: Hashable, Sendable, CustomStringConvertible {
    /// A configuration file, by path.
    case file(String)
    /// An environment variable, by name.
    case environment(String)
    /// A command-line flag, with its dashes.
    case flag(String)

    /// The path of the configuration file; `nil` for other sources.
    var path: String? {
        if case .file(let path) = self { path } else { nil }
    }

    /// The path, the variable or the flag, as shown to operators.
    package var description: String {
        switch self {
        case .file(let path): path
        case .environment(let name): name
        case .flag(let name): name
        }
    }
}
