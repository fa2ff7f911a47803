/// An error thrown by a session store.
public struct SessionStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of a store error.
    public enum Code: String, Sendable {
        /// The record was changed after it was read, or the write is no longer wanted.
        case conflict
        /// The store is locked. The same call may succeed after the user has unlocked the store.
        case locked
        /// The record is damaged, can't be decrypted with this device's key, or isn't a private record of
        /// this user. The next login replaces it.
        case unreadable
        /// The record was written by a newer version of the app.
        case newer
        /// The operation failed, usually because of an operating system error. The record may still be valid.
        case failed
    }

    /// The kind of error.
    public let code: Code

    /// A description of the error for developers that doesn't contain secrets.
    public let message: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - message: A description for developers, which must not contain secrets.
    public init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The error for a write that is no longer wanted.
    package static let unwanted = SessionStoreError(
        .conflict,
        message: "The write was cancelled because it is obsolete."
    )

    /// The code and message of the error.
    public var description: String { "\(code.rawValue): \(message)" }
}
