import LatchkeyModel

/// Makes sure that one process at a time completes logins in a browser.
///
/// It uses the store's refresh lock, which a process releases when it is terminated. A login that is found stored after
/// the lock was acquired was therefore interrupted.
struct CompletionLock: Sendable {
    /// The time after which a process continues without the lock.
    private static let patience = Duration.seconds(30)
    private static let piece = Duration.milliseconds(250)

    private let store: any SessionStore
    private let queue = BlockingQueue(label: "latchkey.completion-lock")

    init(store: any SessionStore) {
        self.store = store
    }

    /// Performs steps while no other process completes a login.
    func whileHeld<Value: Sendable>(
        _ steps: () async throws(LatchkeyError) -> Value
    ) async throws(LatchkeyError) -> Value {
        let held = await acquire()
        defer { held?.release() }
        return try await steps()
    }

    /// Performs steps that can't fail while no other process completes a login.
    func whileHeld<Value: Sendable>(_ steps: () async -> Value) async -> Value {
        let held = await acquire()
        defer { held?.release() }
        return await steps()
    }

    private func acquire() async -> HeldRefreshLock? {
        guard let lock = store.refreshLock else { return nil }
        var waited = Duration.zero
        while waited < Self.patience, !Task.isCancelled {
            // The queue is released between the pieces, because the steps of another login may need it.
            if let held = await queue.run({ lock.wait(atMost: Self.piece) }) { return held }
            waited += Self.piece
        }
        return nil
    }
}
