/// The result of reading a session store.
public enum StoredRecord: Sendable {
    /// The record and its generation. The generation changes with every write.
    case present([UInt8], generation: UInt64)
    /// The store doesn't contain a record.
    case absent
    /// The store is locked or unreadable, or its record was written by a newer version. The session's state
    /// doesn't change.
    case unavailable(SessionStoreError)
}
