import Dispatch

/// A thread for work that blocks, so that no thread of the cooperative pool has to.
final class BlockingQueue: Sendable {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Does work in its turn and waits for it without blocking.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }

    /// Does work in its turn without waiting for it.
    func start(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}
