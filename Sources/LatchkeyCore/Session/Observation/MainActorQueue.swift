import LatchkeyModel

/// A queue that runs each job once on the main actor, in the order in which the jobs were added.
package final class MainActorQueue: Sendable {
    /// The jobs that have not run yet, and whether a task is running them.
    private struct Waiting {
        var jobs: [@MainActor @Sendable () -> Void] = []
        var isDraining = false
    }

    private let waiting = Locked(Waiting())

    /// Creates an empty queue.
    package init() {}

    /// Adds a job, which will run even if its caller no longer exists.
    ///
    /// May be called from any thread; it never runs the job itself.
    package func add(_ job: @escaping @MainActor @Sendable () -> Void) {
        let starts = waiting.withLock { waiting in
            waiting.jobs.append(job)
            defer { waiting.isDraining = true }
            return !waiting.isDraining
        }
        if starts { Task { @MainActor in drain() } }
    }

    /// Runs jobs until the queue is empty.
    @MainActor private func drain() {
        while let job = next() { job() }
    }

    /// Removes and returns the next job, or marks the queue as idle and returns `nil`.
    private func next() -> (@MainActor @Sendable () -> Void)? {
        waiting.withLock { waiting in
            guard waiting.jobs.isEmpty else { return waiting.jobs.removeFirst() }
            waiting.isDraining = false
            return nil
        }
    }
}
