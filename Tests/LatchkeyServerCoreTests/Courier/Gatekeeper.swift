import LatchkeyServerCore

/// Holds tasks until a test lets them go on.
final class Gatekeeper: Sendable {
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
