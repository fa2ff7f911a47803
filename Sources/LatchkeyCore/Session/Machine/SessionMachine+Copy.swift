/// An initializer for a machine in an arbitrary state, from which the explorer continues.
extension SessionMachine {
    /// Creates a machine in any state; the explorer uses it to continue from there.
    package init(
        status: Status,
        refresh: Refresh,
        epoch: UInt32,
        signOuts: UInt32,
        refreshReads: UInt32,
        generation: UInt64,
        pendingRemoval: Removal?,
        isRemoving: Bool,
        replacing: Int,
        isUnsaved: Bool,
        waiters: [Waiter]
    ) {
        (self.status, self.refresh, self.waiters) = (status, refresh, waiters)
        (self.epoch, self.signOuts, self.refreshReads, self.generation) = (
            epoch, signOuts, refreshReads, generation
        )
        (self.pendingRemoval, self.isRemoving) = (pendingRemoval, isRemoving)
        (self.replacing, self.isUnsaved) = (replacing, isUnsaved)
    }
}
