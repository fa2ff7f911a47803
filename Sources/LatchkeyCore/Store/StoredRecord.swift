/// The result of reading a store.
public enum StoredRecord: Sendable {
    /// The record and its generation, which changes with every write.
    case present([UInt8], generation: UInt64)
    /// There is no record.
    case absent
    /// The store is locked or unreadable, or its record has a newer version; the session's state does not
    /// change.
    case unavailable(SessionStoreError)
}
