/// An error that prevents a server from starting.
public struct IdentityServerError: Error, Sendable, CustomStringConvertible {
    /// The reason why a server couldn't start.
    public enum Code: String, Sendable {
        /// The data folder, the database, the secrets or the certificate authority cannot be used.
        case storage
        /// The server cannot listen on an address or port.
        case listening
        /// A setting was found to be invalid when the server used it.
        case configuration
        /// The operating system couldn't provide enough threads or memory.
        case resources
        /// The server has already been started.
        case alreadyStarted
    }

    /// The kind of problem that prevented the server from starting.
    public let code: Code

    /// A message for the operator that describes the problem and how to solve it.
    ///
    /// The message never contains secrets. If several files are invalid, the message has one line for each of
    /// them.
    public let message: String

    /// Creates an error.
    ///
    /// The message must not contain secrets.
    init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
