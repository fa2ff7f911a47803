/// The kind of storage that holds the session on a device, from safest to least safe.
public enum StorageLevel: String, Sendable, CaseIterable, CustomStringConvertible {
    /// The user's keyring, through the desktop's Secret Service.
    case secretService = "secret-service"
    /// A file that is encrypted with a key stored in another folder.
    case encryptedFile = "encrypted-file"
    /// The memory of this process; the session is lost when the process ends.
    case memory
    /// A store that the app provides.
    case other

    /// The name, such as `secret-service`.
    public var description: String { rawValue }
}

/// A report on the kind of storage that is used, and the reason for it.
public struct StorageReport: Sendable, Equatable {
    /// The kind of storage.
    public let level: StorageLevel

    /// The reason for this kind of storage: a sentence for developers, without secrets.
    public let reason: String

    /// Whether the old record still has to be erased, because a user signed out while the store was locked.
    public let isErasurePending: Bool

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - level: The kind of storage.
    ///   - reason: The reason for it, in a sentence without secrets.
    ///   - isErasurePending: Whether the record of an ended session has yet to be erased.
    public init(level: StorageLevel, reason: String, isErasurePending: Bool = false) {
        self.level = level
        self.reason = reason
        self.isErasurePending = isErasurePending
    }
}
