/// The ways in which a session can be stored on a device, from most to least secure.
public enum StorageLevel: String, Sendable, CaseIterable, CustomStringConvertible {
    /// The user's keyring. On Linux, this is the Secret Service of the desktop environment.
    case keyring
    /// A file that is encrypted with a key in a different folder.
    case file
    /// The process's own memory, so the session is lost when the process exits.
    case memory
    /// A store provided by the app.
    case other

    /// The name of the storage level, such as `keyring`.
    public var description: String { rawValue }
}

/// A report about how the session is stored, and why this kind of storage is used.
public struct StorageReport: Sendable, Equatable {
    /// The kind of storage that is used.
    public let level: StorageLevel

    /// The reason why this kind of storage is used, as a sentence for developers that doesn't contain
    /// secrets.
    public let reason: String

    /// Whether an old record still has to be erased, because a user signed out while the store was locked.
    public let isErasurePending: Bool

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - level: The kind of storage.
    ///   - reason: A sentence that says why this kind of storage is used, without secrets.
    ///   - isErasurePending: Whether the record of a session that has ended still has to be erased.
    public init(level: StorageLevel, reason: String, isErasurePending: Bool = false) {
        self.level = level
        self.reason = reason
        self.isErasurePending = isErasurePending
    }
}
