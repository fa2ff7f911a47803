/// Where a session is kept on a device: a rung of the ladder from safest to least safe.
public enum StorageRung: String, Sendable, CaseIterable, CustomStringConvertible {
    /// In the user's keyring, through the Secret Service of the desktop.
    case secretService = "secret-service"
    /// In a file that is sealed with a key from another folder.
    case encryptedFile = "encrypted-file"
    /// In the memory of this process; gone when it ends.
    case memory
    /// In a store that the app brought.
    case other

    /// The name, such as `secret-service`.
    public var description: String { rawValue }
}

/// Where a session is kept, and why there.
public struct StorageReport: Sendable, Equatable {
    /// The rung.
    public let rung: StorageRung

    /// Why it is this one: a sentence for a developer, without secrets.
    public let reason: String

    /// Whether somebody signed out while the store was locked, so that a dead record waits for being erased.
    public let isErasurePending: Bool

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - rung: The rung.
    ///   - reason: Why it is this one, in a sentence without secrets.
    ///   - isErasurePending: Whether a dead record waits for being erased.
    public init(rung: StorageRung, reason: String, isErasurePending: Bool = false) {
        self.rung = rung
        self.reason = reason
        self.isErasurePending = isErasurePending
    }
}
