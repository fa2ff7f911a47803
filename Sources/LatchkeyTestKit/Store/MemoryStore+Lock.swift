public import LatchkeyCore

extension MemoryStore {
    /// Locks the store like a locked keyring: its record remains, but reads are `unavailable` and writes
    /// fail.
    ///
    /// Removals also fail, because this store leaves no tombstone. The error has the code `locked`.
    public func lock() {
        fail(with: SessionStoreError(.locked, message: "The test has locked the store."))
    }

    /// Unlocks the store, so that its record is readable again.
    ///
    /// It also ends any other failure that was set with `fail(with:)`.
    public func unlock() {
        fail(with: nil)
    }
}
