import Dispatch
public import LatchkeyCore
import LatchkeyModel

/// Conformance checks for implementations of `SessionStore`.
///
/// The checks delete the store's record and side records. If the store provides a side store for logins, the
/// checks cover that store, too. The checks work with any test framework: just assert that ``violations()``
/// is empty.
public struct SessionStoreConformance: Sendable {
    private let open: @Sendable () -> any SessionStore
    private let setLocked: (@Sendable (Bool) -> Void)?
    private let setInterruption: (@Sendable ((@Sendable () -> Void)?) -> Void)?

    /// Creates the checks.
    ///
    /// - Parameters:
    ///   - sealing: A closure that is called with `true` to lock the storage (or make it fail in another
    ///     way), and with `false` to unlock it. While the storage is locked, the store must be *unavailable*.
    ///     Pass `nil` for a store that can't be locked.
    ///   - interrupting: A closure that is called with a closure that the storage must call before each of its
    ///     operations, such as each call of a keychain, and with `nil` to stop that. The first operation of a
    ///     write must be the one that reads or changes the record. The checks then begin removals between any
    ///     two operations of a write, as another process would. Pass `nil` for a store that changes its record
    ///     in a single operation or while it holds a lock.
    ///   - open: A closure that opens the store. Each call must return a new instance that uses the same
    ///     storage.
    public init(
        sealing: (@Sendable (Bool) -> Void)? = nil,
        interrupting: (@Sendable ((@Sendable () -> Void)?) -> Void)? = nil,
        _ open: @escaping @Sendable () -> any SessionStore
    ) {
        self.open = open
        setLocked = sealing
        setInterruption = interrupting
    }

    /// Runs all checks on a separate thread.
    ///
    /// The checks run one after the other, even after a violation, and block only that thread. Most checks
    /// take a few milliseconds. If a store doesn't report a change to its watch, however, the check waits for
    /// ten seconds.
    ///
    /// - Returns: One sentence for each requirement that the store violates.
    public func violations() async -> [String] {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "latchkey.conformance").async {
                continuation.resume(returning: allViolations() + sideViolations())
            }
        }
    }

    /// Runs the same checks on the side record store, which must meet the same requirements.
    private func sideViolations() -> [String] {
        guard open().sideStore(for: .login) != nil else { return [] }
        let checks = SessionStoreConformance(sealing: setLocked, interrupting: setInterruption) { [open] in
            open().sideStore(for: .login) ?? MemoryStore()
        }
        return checks.allViolations().map { "Side records: \($0)" }
    }

    /// Runs the checks in order, each with empty storage.
    ///
    /// If a check throws an error, the error is reported as part of the violation.
    private func allViolations() -> [String] {
        let checks: [(String, () throws -> Bool)] = [
            ("Reading an empty store returns absent, and removing from it succeeds.", readsAsAbsent),
            ("Reading a record returns exactly the bytes that were written.", storesAllBytes),
            ("A write replaces the whole record and returns a new generation.", replacesWholeRecord),
            (
                "A write based on another generation fails with conflict and does not change the record.",
                rejectsStaleWrites
            ),
            (
                "A write based on a removed record fails with conflict, even after a new record was written.",
                rejectsWritesAfterRemoval
            ),
            (
                "A removal based on another generation fails with conflict and does not change the record.",
                rejectsStaleRemovals
            ),
            ("All instances see each other's writes and removals.", isShared),
            ("No changes are lost when several threads write concurrently.", losesNoConcurrentChange),
            ("A withdrawn write fails with conflict and does not change the record.", refusesWithdrawn),
            (
                "A removal is final once it has begun, and completing it does not remove later records.",
                beginsFinalRemovals
            ),
            ("A removed record does not reappear after concurrent changes.", removesDespiteConcurrentChanges),
            (
                "A removal that begins between two steps of a write is final.",
                removesBetweenSteps
            ),
            (
                "A watch reports changes made by another instance, and stops reporting once it is stopped.",
                reportsChanges
            ),
            (
                "A refresh lock has at most one holder, and waiting for the lock times out.",
                locksRefreshes
            ),
            (
                "A locked store is unavailable, rejects writes, and still has its record once unlocked.",
                survivesLocking
            ),
            ("A removal from a locked store is either final or throws an error.", removesWhileLocked),
            (
                "The record and the side records in each scope are independent of each other.",
                separatesSideRecords
            ),
        ]
        return checks.compactMap { requirement, check in
            do {
                try open().remove()
                return try check() ? nil : requirement
            } catch {
                return "\(requirement) The check failed: \(error)"
            }
        }
    }

    /// Checks that each record can be written and removed while the others exist.
    ///
    /// The check passes if the store has no side records.
    private func separatesSideRecords() throws -> Bool {
        let sides = SideRecordScope.allCases.compactMap { scope in open().sideStore(for: scope) }
        guard sides.count == SideRecordScope.allCases.count else { return sides.isEmpty }
        for side in sides { try side.remove() }
        let stores = [open()] + sides
        var generations: [UInt64] = []
        for (number, store) in stores.enumerated() {
            guard store.read().isAbsent else { return false }
            generations.append(try store.write([UInt8(number)], basedOn: 0))
        }
        let again = [open()] + SideRecordScope.allCases.compactMap { open().sideStore(for: $0) }
        for removed in stores.indices {
            try again[removed].beginRemoval()
            again[removed].completeRemoval()
            for (number, store) in stores.enumerated() {
                let isRight =
                    number <= removed
                    ? store.read().isAbsent
                    : store.read().isPresent([UInt8(number)], generation: generations[number])
                guard isRight else { return false }
            }
        }
        return true
    }

    private func readsAsAbsent() throws -> Bool {
        try open().remove()
        return open().read().isAbsent
    }

    /// Checks records of 0 to 100,000 bytes, including one that contains every byte value.
    private func storesAllBytes() throws -> Bool {
        let store = open()
        var generation: UInt64 = 0
        for bytes in [[], [0], Array(0...255), [UInt8](repeating: 0xA5, count: 100_000), [1]] {
            generation = try store.write(bytes, basedOn: generation)
            guard store.read().isPresent(bytes, generation: generation) else { return false }
        }
        return true
    }

    private func replacesWholeRecord() throws -> Bool {
        let store = open()
        let first = try store.write([1, 2, 3], basedOn: 0)
        let second = try store.write([4], basedOn: first)
        return first != 0 && second != 0 && first != second && store.read().isPresent([4], generation: second)
    }

    /// Checks generation 0, the previous record's generation, and a generation that the store has not
    /// assigned yet.
    private func rejectsStaleWrites() throws -> Bool {
        let store = open()
        guard store.conflicts(basedOn: 1), store.read().isAbsent else { return false }
        let first = try store.write([1], basedOn: 0)
        let second = try store.write([2], basedOn: first)
        return store.conflicts(basedOn: 0) && store.conflicts(basedOn: first)
            && store.conflicts(basedOn: second &+ 1) && store.read().isPresent([2], generation: second)
    }

    /// Checks that a store never reuses the generations of removed records, in four rounds.
    private func rejectsWritesAfterRemoval() throws -> Bool {
        let store = open()
        var removed: [UInt64] = []
        for _ in 0..<4 {
            let generation = try store.write([1], basedOn: 0)
            removed += [generation, try store.write([2], basedOn: generation)]
            try store.remove()
            guard removed.allSatisfy(store.conflicts), store.read().isAbsent else { return false }
        }
        let last = try store.write([3], basedOn: 0)
        return removed.allSatisfy(store.conflicts) && store.read().isPresent([3], generation: last)
    }

    /// Checks that removing the current generation succeeds once and fails with a conflict the second time.
    private func rejectsStaleRemovals() throws -> Bool {
        let store = open()
        let first = try store.write([1], basedOn: 0)
        let second = try store.write([2], basedOn: first)
        for stale in [0, first, second &+ 1] {
            guard store.removalConflicts(basedOn: stale) else { return false }
        }
        guard store.read().isPresent([2], generation: second) else { return false }
        try store.remove(basedOn: second)
        return store.read().isAbsent && store.removalConflicts(basedOn: second)
    }

    /// Checks that a withdrawn write of the first or a later record fails, and that a write that isn't
    /// withdrawn succeeds.
    private func refusesWithdrawn() throws -> Bool {
        let store = open()
        guard store.refusesWithdrawn(basedOn: 0), store.read().isAbsent else { return false }
        let first = try store.write([1], basedOn: 0)
        guard store.refusesWithdrawn(basedOn: first), store.read().isPresent([1], generation: first) else {
            return false
        }
        let second = try store.write([2], basedOn: first, while: { true })
        return store.read().isPresent([2], generation: second)
    }

    /// Checks that other instances don't see the record anymore as soon as its removal has begun.
    private func beginsFinalRemovals() throws -> Bool {
        let former = try open().write([1], basedOn: 0)
        let store = open()
        try store.beginRemoval()
        guard open().read().isAbsent, open().conflicts(basedOn: former) else { return false }
        let later = try open().write([2], basedOn: 0)
        store.completeRemoval()
        guard open().read().isPresent([2], generation: later) else { return false }
        try store.beginRemoval()
        store.completeRemoval()
        return open().read().isAbsent
    }

    /// Checks that two instances that are open at the same time don't cache the record.
    private func isShared() throws -> Bool {
        let (one, other) = (open(), open())
        let first = try one.write([1], basedOn: 0)
        guard other.read().isPresent([1], generation: first), other.conflicts(basedOn: 0) else {
            return false
        }
        let second = try other.write([2], basedOn: first)
        guard one.read().isPresent([2], generation: second), one.conflicts(basedOn: first) else {
            return false
        }
        try one.remove()
        return other.read().isAbsent
    }

    /// Increments the record 15 times on each of four threads, each with its own instance.
    ///
    /// - Throws: The first error that wasn't caused by a concurrent change.
    private func losesNoConcurrentChange() throws -> Bool {
        let (threads, updates) = (4, 15)
        _ = try open().write([0], basedOn: 0)
        let failures = Locked<[SessionStoreError]>([])
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            let store = open()
            for _ in 0..<updates {
                guard let failure = store.increment() else { continue }
                failures.withLock { $0.append(failure) }
            }
        }
        if let failure = failures.withLock({ $0.first }) { throw failure }
        guard case .present(let bytes, _) = open().read() else { return false }
        return bytes == [UInt8(threads * updates)]
    }

    /// Checks that new instances behave correctly while the storage is locked, and that the record still
    /// exists after the storage is unlocked.
    ///
    /// The check passes if the storage can't be locked.
    private func survivesLocking() throws -> Bool {
        guard let setLocked else { return true }
        let generation = try open().write([1], basedOn: 0)
        setLocked(true)
        let refusals = open().refuses(basedOn: generation) && open().refuses(basedOn: 0)
        let isUnavailable = open().read().isUnavailable
        setLocked(false)
        return refusals && isUnavailable && open().read().isPresent([1], generation: generation)
    }

    /// Checks that removing the record while the storage is locked either fails without any effect or is
    /// permanent.
    ///
    /// After a final removal, it must be possible to write a new record and read it twice.
    ///
    /// The check passes if the storage can't be locked.
    private func removesWhileLocked() throws -> Bool {
        guard let setLocked else { return true }
        let generation = try open().write([1], basedOn: 0)
        setLocked(true)
        let isRemoved = (try? open().remove()) != nil
        let isRight = isRemoved ? open().read().isAbsent : open().read().isUnavailable
        setLocked(false)
        guard isRemoved else { return isRight && open().read().isPresent([1], generation: generation) }
        guard isRight, open().read().isAbsent, open().conflicts(basedOn: generation) else { return false }
        let later = try open().write([2], basedOn: 0)
        return open().read().isPresent([2], generation: later)
            && open().read().isPresent([2], generation: later)
    }

    /// Checks that two writes and a removal by other instances are each reported within ten seconds.
    ///
    /// The check passes if the store doesn't return a watch.
    private func reportsChanges() throws -> Bool {
        let calls = DispatchSemaphore(value: 0)
        guard let watch = open().watch({ calls.signal() }) else { return true }
        let generation = try open().write([1], basedOn: 0)
        guard calls.wait(timeout: .now() + 10) == .success else { return false }
        // A change may be reported more than once, so we wait until there have been no reports for 20 ms.
        while calls.wait(timeout: .now() + .milliseconds(20)) == .success {}
        _ = try open().write([2], basedOn: generation)
        guard calls.wait(timeout: .now() + 10) == .success else { return false }
        while calls.wait(timeout: .now() + .milliseconds(20)) == .success {}
        try open().remove()
        guard calls.wait(timeout: .now() + 10) == .success else { return false }
        while calls.wait(timeout: .now() + .milliseconds(20)) == .success {}
        watch.stop()
        _ = try open().write([3], basedOn: 0)
        return calls.wait(timeout: .now() + .milliseconds(20)) == .timedOut
    }

    /// Checks that two instances can't acquire the lock at the same time, and that it can be released
    /// explicitly or by deallocating it.
    ///
    /// A second release must have no effect. The check passes if the store has no lock.
    private func locksRefreshes() throws -> Bool {
        guard let one = open().refreshLock, let other = open().refreshLock else { return true }
        guard let held = one.wait(atMost: .zero), other.wait(atMost: .milliseconds(5)) == nil else {
            return false
        }
        held.release()
        held.release()
        var next = other.wait(atMost: .zero)
        guard next != nil, one.wait(atMost: .zero) == nil else { return false }
        // Deallocating the object releases the lock.
        next = nil
        return one.wait(atMost: .zero) != nil
    }

    /// Begins a removal between any two steps of a write, in another instance.
    ///
    /// The write is based on an existing record or on none. Before the removal, another login may have written
    /// a record. The check passes if the steps can't be interrupted, and fails if the storage doesn't call the
    /// closure.
    private func removesBetweenSteps() throws -> Bool {
        guard let setInterruption else { return true }
        var hasSteps = false
        for hasRecord in [true, false] {
            for hasOtherLogin in [true, false] {
                // A removal before the first step comes before the write, which may then succeed.
                var step = 2
                while step < 1000 {
                    try open().remove()
                    let generation = hasRecord ? try open().write([1], basedOn: 0) : 0
                    let interruption = Interruption(before: step) { [open] in
                        if hasOtherLogin, case .absent = open().read() {
                            _ = try? open().write([2], basedOn: 0)
                        }
                        try? open().beginRemoval()
                        open().completeRemoval()
                    }
                    setInterruption { interruption.step() }
                    _ = try? open().write([3], basedOn: generation)
                    setInterruption(nil)
                    hasSteps = hasSteps || interruption.hasSteps
                    guard interruption.isOver else { break }
                    guard open().read().isAbsent else { return false }
                    step += 1
                }
                guard step < 1000 else { return false }
            }
        }
        try open().remove()
        let generation = try open().write([4], basedOn: 0)
        return hasSteps && open().read().isPresent([4], generation: generation)
    }

    /// Removes the record on one thread while four other threads increment it, in five rounds.
    ///
    /// The increments may fail, because the record may already be gone, but the removal must succeed.
    private func removesDespiteConcurrentChanges() throws -> Bool {
        for _ in 0..<5 {
            _ = try open().write([0], basedOn: 0)
            let failures = Locked(0)
            DispatchQueue.concurrentPerform(iterations: 5) { thread in
                let store = open()
                do {
                    if thread == 4 { try store.remove() } else { _ = store.increment() }
                } catch {
                    failures.withLock { $0 += 1 }
                }
            }
            guard failures.withLock({ $0 }) == 0, open().read().isAbsent else { return false }
        }
        return true
    }
}
