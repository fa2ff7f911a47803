import Dispatch

/// A serial queue for blocking work, which must not be done on the threads of the cooperative pool.
final class BlockingQueue: Sendable {
    private let queue: DispatchQueue

    /// Creates a queue.
    ///
    /// - Parameter label: The label of the dispatch queue, which is shown in debuggers.
    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Adds work to the queue and waits until it has finished.
    ///
    /// - Parameter work: A closure that may block and that isn't stopped if the caller's task is cancelled.
    /// - Returns: The value returned by the closure.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }

    /// Adds work to the queue and returns immediately.
    ///
    /// - Parameter work: A closure that may block.
    func start(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}
