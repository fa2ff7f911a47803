import Dispatch
import LatchkeyServerKit

/// Blocks the body of a transaction on the writer's thread until a test opens the gate.
final class Gate: Sendable {
    private let isOpen = DispatchSemaphore(value: 0)
    private let reached = Deferred<Void>()

    /// Blocks the writer's thread; never to be called by a task.
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
