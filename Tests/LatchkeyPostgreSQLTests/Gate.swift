import Dispatch
import LatchkeyServerCore

/// Holds a transaction's body, which has a thread of its own, until the test lets it go on.
final class Gate: Sendable {
    private let arrival = Deferred<Void>()
    private let opening = DispatchSemaphore(value: 0)

    /// Says that the body is here, and waits; once open, never again.
    func pass() {
        arrival.set(())
        opening.wait()
        opening.signal()
    }

    /// Waits until a body is here.
    func reached() async {
        await arrival.value
    }

    func open() {
        opening.signal()
    }
}
