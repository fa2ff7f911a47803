public import LatchkeyCore

extension MemoryStore {
    /// Locks the store as a user would lock a keyring.
    ///
    /// The record stays in the store, but reads return `unavailable` and writes fail. The error code is
    /// `locked`. As with a keyring, the user can sign out, and is still signed out once the store is unlocked.
    public func lock() {
        fail(with: SessionStoreError(.locked, message: "The test has locked the store."))
    }

    /// Unlocks the store, which makes its record readable again.
    ///
    /// This also clears any other failure that was set with `fail(with:)`.
    public func unlock() {
        fail(with: nil)
    }
}
