import LatchkeyModel

/// Runs what it is given on the main actor, each piece once, in the order in which it came.
package final class MainActorQueue: Sendable {
    private struct Waiting {
        var jobs: [@MainActor @Sendable () -> Void] = []
        var isDraining = false
    }

    private let waiting = Locked(Waiting())

    package init() {}

    /// Adds a piece of work; it runs later, also when the caller has gone by then.
    package func add(_ job: @escaping @MainActor @Sendable () -> Void) {
        let starts = waiting.withLock { waiting in
            waiting.jobs.append(job)
            defer { waiting.isDraining = true }
            return !waiting.isDraining
        }
        if starts { Task { @MainActor in drain() } }
    }

    @MainActor private func drain() {
        while let job = next() { job() }
    }

    private func next() -> (@MainActor @Sendable () -> Void)? {
        waiting.withLock { waiting in
            guard waiting.jobs.isEmpty else { return waiting.jobs.removeFirst() }
            waiting.isDraining = false
            return nil
        }
    }
}
