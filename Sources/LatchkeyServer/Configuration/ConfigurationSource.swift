/// Where a setting came from.
package enum ConfigurationSource: Hashable, Sendable, CustomStringConvertible {
    /// A configuration file.
    case file(String)
    /// A variable of the environment.
    case environment(String)
    /// A flag of the command line.
    case flag(String)

    package var description: String {
        switch self {
        case .file(let path): path
        case .environment(let name): name
        case .flag(let name): name
        }
    }
}
