import Dispatch
import LatchkeyCompat
import LatchkeyModel
import LatchkeyTestKit
import Testing

@testable import LatchkeyCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@MainActor
@Suite(.timeLimit(.minutes(10))) struct `Delegate relay` {
    @Test func `Replacing a delegate does not release it on the calling thread`() async {
        let relay = DelegateRelay<Witness>(queue: MainActorQueue())
        let (isDone, thread) = (Locked(false), Locked<pthread_t?>(nil))
        let releases = Locked(0)
        let (ended, end) = AsyncStream<Void>.makeStream()
        DispatchQueue(label: "test.setter").async {
            thread.withLock { $0 = pthread_self() }
            while !isDone.withLock({ $0 }) { relay.setDelegate(nil) { nil } }
            end.finish()
        }
        while thread.withLock({ $0 == nil }), !Task.isCancelled { await Task.yield() }
        let setter = thread.withLock { $0 }

        for round in 1...20_000 {
            // Wait until the queue is empty.
            if round % 100 == 0 { await Task.yield() }
            let witness = Witness {
                if pthread_self() == setter { releases.withLock { $0 += 1 } }
            }
            relay.setDelegate(witness) { [weak witness] in witness }
        }
        isDone.withLock { $0 = true }
        for await _ in ended {}

        #expect(releases.withLock { $0 } == 0)
    }

    @Test func `A delegate is notified even if it has the address of a deallocated delegate`() async {
        let queue = MainActorQueue()
        let relay = DelegateRelay<Witness>(queue: queue)
        let notifications = Locked(0)
        relay.onChange { _, isAuthenticated in
            #expect(isAuthenticated)
            notifications.withLock { $0 += 1 }
        }
        relay.enqueue(.login)
        let address = relay.setShortLivedDelegate()
        var others: [Witness] = []
        while others.last.map({ ObjectIdentifier($0) }) != address, others.count < 10_000 {
            others.append(Witness {})
        }
        // AddressSanitizer does not reuse memory addresses.
        guard let delegate = others.last, ObjectIdentifier(delegate) == address else { return }

        relay.setDelegate(delegate) { [weak delegate] in delegate }
        await mainActorIsIdle()

        #expect(notifications.withLock { $0 } == 1)
        #expect(relay.delegate === delegate)
    }
}

/// An object that reports when it is released.
private final class Witness: Sendable {
    private let whenReleased: @Sendable () -> Void

    init(_ whenReleased: @escaping @Sendable () -> Void) {
        self.whenReleased = whenReleased
    }

    deinit {
        whenReleased()
    }
}

extension DelegateRelay<Witness> {
    /// Sets a delegate that is deallocated when this function returns.
    fileprivate func setShortLivedDelegate() -> ObjectIdentifier {
        let delegate = Witness {}
        setDelegate(delegate) { [weak delegate] in delegate }
        return ObjectIdentifier(delegate)
    }
}

extension SessionEvent {
    fileprivate static var login: SessionEvent {
        let identity = Identity(id: "id", schema: "customer")
        return SessionEvent(state: .signedIn(UserSession(id: "s", identity: identity)), isNewSession: true)
    }
}
