/// A configuration that cannot be used, with everything that is wrong with it.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// One thing that is wrong.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The setting's key, such as `admin.port`; empty when the trouble is with a file as a whole.
        public let key: String

        /// Where it was set: a file, a variable, a flag.
        public let source: String

        /// What is wrong with it; never quotes a secret.
        public let message: String

        /// The key, the source and the message.
        public var description: String {
            key.isEmpty ? "\(source): \(message)" : "\(key) (\(source)): \(message)"
        }
    }

    /// All that was found.
    public let problems: [Problem]

    /// The problems, one a line.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
