import LatchkeyModel

/// A queue that runs jobs on the main actor, in the order they were added.
package final class MainActorQueue: Sendable {
    /// The jobs that haven't run yet, and whether a task is running them.
    private struct Waiting {
        var jobs: [@MainActor @Sendable () -> Void] = []
        var isDraining = false
    }

    private let waiting = Locked(Waiting())

    /// Creates an empty queue.
    package init() {}

    /// Adds a job.
    ///
    /// The job runs even if the object that added it no longer exists.
    ///
    /// This method may be called on any thread. The job is never run by the calling thread.
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

    /// Removes and returns the next job.
    ///
    /// If there are no jobs left, marks the queue as idle and returns `nil`.
    private func next() -> (@MainActor @Sendable () -> Void)? {
        waiting.withLock { waiting in
            guard waiting.jobs.isEmpty else { return waiting.jobs.removeFirst() }
            waiting.isDraining = false
            return nil
        }
    }
}
