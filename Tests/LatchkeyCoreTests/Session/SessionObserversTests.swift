import Dispatch
import LatchkeyModel
import Testing

@testable import LatchkeyCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@MainActor
@Suite(.timeLimit(.minutes(10))) struct `The observers of a session` {
    @Test func `are not released on the thread that adds another one`() async {
        let observers = SessionObservers()
        let other = Witness {}
        observers.add(other, telling: nil)
        let (isDone, thread) = (Locked(false), Locked<pthread_t?>(nil))
        let releases = Locked(0)
        let (ended, end) = AsyncStream<Void>.makeStream()
        DispatchQueue(label: "test.adder").async {
            thread.withLock { $0 = pthread_self() }
            while !isDone.withLock({ $0 }) { observers.add(other, telling: nil) }
            end.finish()
        }
        while thread.withLock({ $0 == nil }), !Task.isCancelled { await Task.yield() }
        let adder = thread.withLock { $0 }

        for round in 1...20_000 {
            // Lets the queue empty itself.
            if round % 100 == 0 { await Task.yield() }
            let witness = Witness {
                if pthread_self() == adder { releases.withLock { $0 += 1 } }
            }
            observers.add(witness, telling: nil)
        }
        isDone.withLock { $0 = true }
        for await _ in ended {}

        #expect(releases.withLock { $0 } == 0)
    }

    @Test func `include one that has the address of an observer that is gone`() async {
        let observers = SessionObservers()
        let address = observers.addShortLivedObserver()
        var others: [Witness] = []
        while others.last.map({ ObjectIdentifier($0) }) != address, others.count < 10_000 {
            others.append(Witness {})
        }
        // Under AddressSanitizer, no address is used again.
        guard let observer = others.last, ObjectIdentifier(observer) == address else { return }

        observers.add(observer, telling: .signedOut)
        observers.tell(.signedOut)
        for _ in 1...100 { await Task.yield() }

        #expect(observer.callCount == 2)
    }
}

/// An object that says where it is released.
@MainActor private final class Witness: SessionObserver {
    private(set) var callCount = 0
    private let whenReleased: @Sendable () -> Void

    init(_ whenReleased: @escaping @Sendable () -> Void) {
        self.whenReleased = whenReleased
    }

    deinit {
        whenReleased()
    }

    func sessionDidChange(to state: SessionState) {
        callCount += 1
    }
}

extension SessionObservers {
    /// Adds an observer that is gone when the call returns.
    @MainActor fileprivate func addShortLivedObserver() -> ObjectIdentifier {
        let observer = Witness {}
        add(observer, telling: nil)
        return ObjectIdentifier(observer)
    }
}
