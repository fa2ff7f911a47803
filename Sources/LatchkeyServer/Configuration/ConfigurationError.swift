import LatchkeyServerKit
package import LatchkeyWire

/// The error for an invalid configuration, which lists all problems.
///
/// Invalid combinations of settings are reported only if each setting is valid by itself.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// A single problem.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The key of the setting, such as `admin.port`; empty if the problem concerns a whole file.
        public let key: String

        /// The source of the setting: a file, an environment variable or a flag.
        public let source: String

        /// A description of the problem, which never quotes a secret.
        public let message: String

        /// The key, the source and the message.
        public var description: String {
            key.isEmpty ? "\(source): \(message)" : "\(key) (\(source)): \(message)"
        }
    }

    /// All problems that were found.
    ///
    /// The list is not empty. The problems are ordered by source: first the file, then the environment, then
    /// the flags.
    public let problems: [Problem]

    /// The problems, one per line.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}

extension ConfigurationError.Problem: Loggable {
    /// The key, the source and the message, which quotes no secret.
    package var logged: JSONValue { .string(description) }
}
