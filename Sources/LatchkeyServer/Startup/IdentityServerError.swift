/// An error that prevents a server from starting.
public struct IdentityServerError: Error, Sendable, CustomStringConvertible {
    /// The category of the failure.
    public enum Code: String, Sendable {
        /// The data folder, the database, the secrets or the certificate authority cannot be used.
        case storage
        /// The server cannot listen on an address or port.
        case listening
        /// A setting turns out to be invalid when the server uses it.
        case configuration
        /// The operating system did not provide threads or memory.
        case resources
        /// The server was already started.
        case alreadyStarted
    }

    /// The category of the failure.
    public let code: Code

    /// The problem and its solution, described for operators and without secrets.
    ///
    /// The message may have several lines, with one line for each invalid file.
    public let message: String

    /// Creates an error, whose message must not contain secrets.
    init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
