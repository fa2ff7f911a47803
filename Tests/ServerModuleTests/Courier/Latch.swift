import LatchkeyServerKit

/// A gate that suspends tasks until the test opens it.
final class Latch: Sendable {
    private let reached = Deferred<Void>()
    private let opened = Deferred<Void>()

    func wait() async {
        reached.set(())
        await opened.value
    }

    func isReached() async {
        await reached.value
    }

    func open() {
        opened.set(())
    }
}
