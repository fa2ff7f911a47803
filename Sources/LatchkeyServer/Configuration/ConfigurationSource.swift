/// Where a setting came from.
package enum ConfigurationSource: Hashable, Sendable, CustomStringConvertible {
    /// A configuration file.
    case file(String)
    /// A variable of the environment.
    case environment(String)
    /// A flag of the command line.
    case flag(String)

    /// The path of a configuration file.
    var path: String? {
        if case .file(let path) = self { path } else { nil }
    }

    package var description: String {
        switch self {
        case .file(let path): path
        case .environment(let name): name
        case .flag(let name): name
        }
    }
}
