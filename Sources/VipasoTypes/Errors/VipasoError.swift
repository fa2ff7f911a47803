/// Why a call did not succeed.
///
/// Every error has a `localizedDescription` that can be shown; none holds a password, a code or a token.
public enum VipasoError: Error, Hashable, Sendable {
    /// A step of a sign-up was refused.
    case signup(SignupError)
    /// A login was refused.
    case login(LoginError)
    /// The server refused or failed, for a reason without a case of its own.
    case server(ServerError)
    /// There is no answer.
    case network(NetworkError)
    /// The session or the key could not be kept on this device.
    case storage(StorageError)
    /// Nobody is logged in, or somebody logged out while the call was under way.
    case loggedOut
    /// A newer login or sign-up was started while the call was under way; the newest one counts.
    case superseded
    /// The configuration cannot be right; the text says why.
    case configuration(String)
}

extension VipasoError {
    /// What a server said.
    public struct ServerError: Hashable, Sendable {
        /// The HTTP status; 0 when the answer was none that can be understood.
        public var status: Int

        /// The stable name of the refusal, if it has one.
        public var id: String?

        /// What the server said.
        public var message: String

        /// Creates an error.
        ///
        /// - Parameters:
        ///   - status: The HTTP status.
        ///   - id: The stable name of the refusal.
        ///   - message: What the server said.
        public init(status: Int, id: String? = nil, message: String) {
            self.status = status
            self.id = id
            self.message = message
        }
    }

    /// Why there is no answer.
    public enum NetworkError: Hashable, Sendable {
        /// The server could not be reached, or the connection broke.
        case unreachable
        /// The server did not answer in time.
        case timedOut
        /// The server could not prove who it is.
        case untrusted
        /// The call was given up.
        case cancelled
    }

    /// Why something could not be kept.
    public enum StorageError: Hashable, Sendable {
        /// The store is locked, or was written by a newer version of the app.
        case unavailable(String)
        /// The store could not be written.
        case failed(String)
        /// The device's key could not be made or used.
        case key(String)
    }
}
