/// An error of a session store.
public struct SessionStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A kind of store error.
    public enum Code: String, Sendable {
        /// The record has changed since it was read, or the write is no longer wanted.
        case conflict
        /// The store is locked; unlocking it may help.
        case locked
        /// The record is damaged, or cannot be decrypted with this device's key.
        case unreadable
        /// The record was written by a newer version.
        case newer
        /// The operation failed, usually because of an error of the operating system.
        case failed
    }

    /// The kind of error.
    public let code: Code

    /// A description of the error for developers; contains no secrets.
    public let message: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - message: A sentence for developers, without secrets.
    public init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The error for a write that is no longer wanted.
    package static let unwanted = SessionStoreError(
        .conflict,
        message: "The write was cancelled because it is obsolete."
    )

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }
}
