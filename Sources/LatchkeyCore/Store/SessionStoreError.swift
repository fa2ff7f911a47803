/// A store that did not do what it was asked.
public struct SessionStoreError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure.
    public enum Code: String, Sendable {
        /// The record was changed by somebody else since it was read.
        case conflict
        /// The store is locked; unlocking it may help.
        case locked
        /// The record cannot be opened with this device's key, or is damaged.
        case unreadable
        /// The record was written by a newer version.
        case newer
        /// The operating system refused.
        case failed
    }

    /// What kind of failure.
    public let code: Code

    /// What went wrong, for a developer; holds no secret.
    public let message: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What kind of failure.
    ///   - message: A sentence for a developer.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The refusal of a write that is no longer wanted.
    package static let unwanted = SessionStoreError(.conflict, "The write is no longer wanted.")

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }
}
