import Dispatch

/// A serial queue for blocking work, which must not run on the threads of the cooperative pool.
final class BlockingQueue: Sendable {
    private let queue: DispatchQueue

    /// Creates a queue.
    ///
    /// - Parameter label: The label of the dispatch queue, shown by debuggers.
    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Enqueues work and suspends the caller until it has run.
    ///
    /// - Parameter work: The work; it may block. Cancelling the caller's task does not stop it.
    /// - Returns: The value that the work returned.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }

    /// Enqueues work and returns immediately.
    ///
    /// - Parameter work: The work; it may block.
    func start(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}
