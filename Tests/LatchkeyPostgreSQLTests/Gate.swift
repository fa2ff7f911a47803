import Dispatch
import LatchkeyServerKit

/// Blocks a transaction's body, which runs on its own thread, until the test opens the gate.
final class Gate: Sendable {
    private let arrival = Deferred<Void>()
    private let opening = DispatchSemaphore(value: 0)

    /// Signals that the body has reached the gate, and waits until the gate is opened.
    func pass() {
        arrival.set(())
        opening.wait()
        opening.signal()
    }

    /// Waits until a body has reached the gate.
    func reached() async {
        await arrival.value
    }

    func open() {
        opening.signal()
    }
}
