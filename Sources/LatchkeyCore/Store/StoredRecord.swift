/// What a store answers to a read.
public enum StoredRecord: Sendable {
    /// There is a record.
    case present([UInt8], generation: UInt64)
    /// There is none.
    case absent
    /// It cannot be told: locked, unreadable, written by a newer version. Changes no state.
    case unavailable(SessionStoreError)
}
