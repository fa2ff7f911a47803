/// Initializers for machines in arbitrary states, from which the explorer continues.
extension SessionMachine {
    /// Creates a machine in any state; the explorer uses it to continue from there.
    package init(
        truth: Truth,
        refresh: Refresh,
        epoch: UInt32,
        signOuts: UInt32,
        looks: UInt32,
        generation: UInt64,
        owed: Removal?,
        isRemoving: Bool,
        replacing: Int,
        isUnsaved: Bool,
        waiters: [Waiter]
    ) {
        (self.truth, self.refresh, self.waiters) = (truth, refresh, waiters)
        (self.epoch, self.signOuts, self.looks, self.generation) = (epoch, signOuts, looks, generation)
        (self.owed, self.isRemoving) = (owed, isRemoving)
        (self.replacing, self.isUnsaved) = (replacing, isUnsaved)
    }
}

/// An initializer for waiting callers, for the same purpose.
extension SessionMachine.Waiter {
    package init(_ caller: SessionMachine.Caller, _ need: SessionMachine.Need) {
        (self.caller, self.need) = (caller, need)
    }
}
