public import LatchkeyCore

extension MemoryStore {
    /// Locks the store, as a keyring is that nobody has opened yet: what is in it stays, and nothing can be told.
    public func lock() {
        fail(with: SessionStoreError(.locked, "The test has locked the store."))
    }

    /// Opens the store again.
    public func unlock() {
        fail(with: nil)
    }
}
