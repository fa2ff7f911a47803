/// A server that could not start.
public struct IdentityServerError: Error, Sendable, CustomStringConvertible {
    /// What kind of trouble.
    public enum Code: String, Sendable {
        /// The data folder, the database, the secrets or the certificate authority cannot be used.
        case storage
        /// An address or port cannot be listened on.
        case listening
        /// A setting that only shows to be wrong when it is used.
        case configuration
        /// The operating system refused threads or memory.
        case resources
        /// The server was started before.
        case alreadyStarted
    }

    /// What kind of trouble.
    public let code: Code

    /// What went wrong and what to do, for an operator; holds no secret.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
