/// An error thrown by the Vipaso compatibility modules.
///
/// Every error has a `localizedDescription` that can be shown to the user. Errors never contain a password, a
/// code or a token.
public enum VipasoError: Error, Hashable, Sendable {
    /// A sign-up step was rejected.
    case signup(SignupError)
    /// A login was rejected.
    case login(LoginError)
    /// The server rejected the request or failed for a reason that has no dedicated case.
    case server(ServerError)
    /// The server's response was not received.
    case network(NetworkError)
    /// The session or the device key could not be read or stored on this device.
    case storage(StorageError)
    /// No user is logged in, or the user logged out during the call.
    case loggedOut
    /// A more recent login or sign-up replaced this one before it was finished.
    case superseded
    /// The configuration is invalid. The associated value describes why.
    case configuration(String)
}

extension VipasoError {
    /// An error response from the server.
    public struct ServerError: Hashable, Sendable {
        /// The HTTP status code, or 0 if there was no response that could be parsed.
        public var status: Int

        /// The stable id of the error, if the response has one.
        public var id: String?

        /// The message from the server, or one from the client if the response contains none.
        public var message: String

        /// Creates an error.
        ///
        /// - Parameters:
        ///   - status: The HTTP status code, or 0 if the response could not be parsed.
        ///   - id: The stable id of the error, or `nil` if there is none.
        ///   - message: The message from the response.
        public init(status: Int, id: String? = nil, message: String) {
            self.status = status
            self.id = id
            self.message = message
        }
    }

    /// The reason a response was not received.
    public enum NetworkError: Hashable, Sendable {
        /// The server could not be reached, or the connection was lost.
        case unreachable
        /// The server did not respond in time.
        case timedOut
        /// The server's identity could not be verified, for example because its certificate is not trusted.
        case untrusted
        /// The call was cancelled.
        case cancelled
    }

    /// The reason the session or the device key could not be read or stored.
    ///
    /// The associated value contains details for developers.
    public enum StorageError: Hashable, Sendable {
        /// The store cannot be read at the moment, for example because it is locked or was written by a newer
        /// version of the app.
        case unavailable(String)
        /// The data could not be written to the store.
        case failed(String)
        /// The device key could not be created or used.
        case key(String)
    }
}
