public import LatchkeyCore

extension MemoryStore {
    /// Locks the store like a locked keyring: its record remains, but reads are `unavailable` and writes
    /// fail.
    public func lock() {
        fail(with: SessionStoreError(.locked, message: "The test has locked the store."))
    }

    /// Unlocks the store; its record is readable again.
    public func unlock() {
        fail(with: nil)
    }
}
