/// Lets the explorer create a machine in any state.
extension SessionMachine {
    /// Creates a machine in any state.
    ///
    /// The explorer uses this to continue from a given state.
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
