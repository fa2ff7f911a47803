import Dispatch
import LatchkeyServerKit

/// Blocks the body of a transaction, which has its own thread, until the test opens the gate.
final class Gate: Sendable {
    private let arrival = Deferred<Void>()
    private let opening = DispatchSemaphore(value: 0)

    /// Reports that the body has arrived, and waits until the gate is open.
    func pass() {
        arrival.set(())
        opening.wait()
        opening.signal()
    }

    /// Waits until a body has arrived.
    func reached() async {
        await arrival.value
    }

    func open() {
        opening.signal()
    }
}
