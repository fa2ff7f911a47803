/// An error from a call to the Vipaso compatibility modules.
///
/// Every error has a `localizedDescription` that can be shown to the user. No error contains a password, a
/// code or a token.
public enum VipasoError: Error, Hashable, Sendable {
    /// A sign-up step was rejected.
    case signup(SignupError)
    /// A login was rejected.
    case login(LoginError)
    /// The server rejected the request or failed, for a reason that has no case of its own.
    case server(ServerError)
    /// No response was received.
    case network(NetworkError)
    /// The session or the device key could not be read or stored on this device.
    case storage(StorageError)
    /// No user is logged in, or the user logged out during the call.
    case loggedOut
    /// A newer login, or the last step of a sign-up, was started during the call, and only the newest one
    /// completes.
    case superseded
    /// The configuration is invalid, for the reason in the associated value.
    case configuration(String)
}

extension VipasoError {
    /// An error response from the server.
    public struct ServerError: Hashable, Sendable {
        /// The HTTP status; 0 if there was no response that can be parsed.
        public var status: Int

        /// The stable id of the error, if the response has one.
        public var id: String?

        /// The server's message, or the client's message if the response has none.
        public var message: String

        /// Creates an error.
        ///
        /// - Parameters:
        ///   - status: The HTTP status; 0 for a response that cannot be parsed.
        ///   - id: The stable id of the error; `nil` if there is none.
        ///   - message: The message of the response.
        public init(status: Int, id: String? = nil, message: String) {
            self.status = status
            self.id = id
            self.message = message
        }
    }

    /// The reason why no response was received.
    public enum NetworkError: Hashable, Sendable {
        /// The server could not be reached, or the connection was lost.
        case unreachable
        /// The server did not respond in time.
        case timedOut
        /// The server could not be authenticated, for instance because its certificate is not trusted.
        case untrusted
        /// The call was cancelled.
        case cancelled
    }

    /// The reason why the session or the key could not be read or stored.
    ///
    /// The associated value contains details for developers.
    public enum StorageError: Hashable, Sendable {
        /// The store cannot currently be read, for instance because it is locked or was written by a newer
        /// version of the app.
        case unavailable(String)
        /// The store could not be written.
        case failed(String)
        /// The device key could not be created or used.
        case key(String)
    }
}
