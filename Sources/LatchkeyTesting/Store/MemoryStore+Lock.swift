public import LatchkeyCore

extension MemoryStore {
    /// Locks the store like a locked keyring.
    ///
    /// The record remains, but reads are `unavailable` and writes fail.
    ///
    /// Removals also fail, because this store leaves no tombstone. The error has the code `locked`.
    public func lock() {
        fail(with: SessionStoreError(.locked, message: "The test has locked the store."))
    }

    /// Unlocks the store, so that its record is readable again.
    ///
    /// Any other failure that was set with `fail(with:)` also ends.
    public func unlock() {
        fail(with: nil)
    }
}
