import Dispatch
import LatchkeyServerKit

/// Blocks a transaction's body on the writer's thread until a test opens the gate.
final class Gate: Sendable {
    private let isOpen = DispatchSemaphore(value: 0)
    private let reached = Deferred<Void>()

    /// Blocks the writer's thread.
    ///
    /// This method must never be called from a task.
    func pass() {
        reached.set(())
        isOpen.wait()
        isOpen.signal()
    }

    func open() {
        isOpen.signal()
    }

    func isReached() async {
        await reached.value
    }
}
