import LatchkeyServerKit
package import LatchkeyWire

/// An error that lists all problems with a configuration.
///
/// Invalid combinations of settings are reported only if each setting is valid on its own.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// A single problem.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The key of the setting, such as `admin.port`.
        ///
        /// Empty if the problem affects an entire file.
        public let key: String

        /// Where the setting came from: a file, an environment variable or a flag.
        public let source: String

        /// A description of the problem.
        ///
        /// The message never contains a secret.
        public let message: String

        /// The key and source of the setting, followed by the message.
        public var description: String {
            key.isEmpty ? "\(source): \(message)" : "\(key) (\(source)): \(message)"
        }
    }

    /// All problems that were found.
    ///
    /// The list contains at least one problem. Problems in the file come first, followed by problems in
    /// environment variables and then in flags.
    public let problems: [Problem]

    /// The problems, one per line.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}

extension ConfigurationError.Problem: Loggable {
    /// The key and source of the setting, followed by the message.
    ///
    /// The message never contains a secret.
    package var logged: JSONValue { .string(description) }
}
