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
@Suite(.timeLimit(.minutes(10))) struct `Session observers` {
    @Test func `Adding an observer doesn't release another one on the same thread`() async {
        let other = Witness {}
        let current = Locked(SessionObservers())
        let (isDone, thread) = (Locked(false), Locked<pthread_t?>(nil))
        let (additions, releases) = (Locked(0), Locked(0))
        let (ended, end) = AsyncStream<Void>.makeStream()
        DispatchQueue(label: "test.adder").async {
            thread.withLock { $0 = pthread_self() }
            while !isDone.withLock({ $0 }) {
                current.withLock { $0 }.add(other, initialState: nil)
                additions.withLock { $0 += 1 }
            }
            end.finish()
        }
        while thread.withLock({ $0 == nil }), !Task.isCancelled { await Task.yield() }
        let adder = thread.withLock { $0 }

        for round in 1...300 {
            let observers = SessionObservers()
            var witness: Witness? = Witness {
                if pthread_self() == adder { releases.withLock { $0 += 1 } }
            }
            if let witness { observers.add(witness, initialState: nil) }
            current.withLock { $0 = observers }
            let former = additions.withLock { $0 }
            while additions.withLock({ $0 }) < former + 3, !Task.isCancelled { sched_yield() }
            // In each round, the release happens at a different point in the other thread's loop.
            for _ in 0..<(round % 64) { _ = witness == nil }
            witness = nil
            await Task.yield()
        }
        isDone.withLock { $0 = true }
        for await _ in ended {}

        #expect(releases.withLock { $0 } == 0)
    }

    @Test func `An observer can have the same memory address as a deallocated one`() async {
        let observers = SessionObservers()
        var former = (1...100).map { _ in Witness {} }
        for witness in former { observers.add(witness, initialState: nil) }
        let addresses = Set(former.map { ObjectIdentifier($0) })
        former = []
        var others: [Witness] = []
        while others.last.map({ addresses.contains(ObjectIdentifier($0)) }) != true, others.count < 10_000 {
            others.append(Witness {})
        }
        // AddressSanitizer prevents memory addresses from being reused.
        guard let observer = others.last, addresses.contains(ObjectIdentifier(observer)) else { return }

        observers.add(observer, initialState: .signedOut)
        observers.notify(of: .signedOut)
        for _ in 1...100 { await Task.yield() }

        #expect(observer.callCount == 2)
    }
}

/// An object that calls a closure when it is deallocated.
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
