/// Keeps what a device must remember of its login: one sealed record.
///
/// Calls may block for a short file operation; the engine makes them off the cooperative pool, except in a
/// sign-out, which is synchronous by contract. A store is used from several threads.
public protocol SessionStore: Sendable {
    /// Reads the record.
    ///
    /// - Returns: The record, its absence, or why neither can be told now. Never guesses.
    func read() -> StoredRecord

    /// Replaces the record as a whole: after a crash, the old one or the new one is there.
    ///
    /// - Parameters:
    ///   - bytes: The new record.
    ///   - generation: The generation that the change is based on; 0 when there was no record.
    /// - Returns: The generation of the new record.
    /// - Throws: ``SessionStoreError``; ``SessionStoreError/Code/conflict`` when the record has moved on.
    func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64

    /// Removes the record, whatever its generation, and everything derived from it.
    ///
    /// - Throws: ``SessionStoreError`` when something of the record may remain.
    func remove() throws(SessionStoreError)
}

/// What a store answers to a read.
public enum StoredRecord: Sendable {
    /// There is a record.
    case present([UInt8], generation: UInt64)
    /// There is none.
    case absent
    /// It cannot be told: locked, unreadable, written by a newer version. Changes no state.
    case unavailable(SessionStoreError)
}

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

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }
}
