import LatchkeyModel
import LatchkeyWire

/// The body of a streamed request.
///
/// The body holds one chunk at a time between the producer and the loop's thread.
///
/// The loop pauses sending while there is no chunk. The producer waits until its chunk has been sent.
final class CurlUpload: Sendable {
    /// The next bytes of the body.
    enum Bytes {
        /// The number of bytes that were copied, or 0 at the end of the body.
        case copied(Int)
        /// No bytes are available yet.
        case pause
        /// The producer failed.
        case abort
    }

    private struct State {
        var part: [UInt8] = []
        var sent = 0
        var total = 0
        var writer: CheckedContinuation<Bool, Never>?
        var producer: Task<Void, Never>?
        var isPaused = false
        var isComplete = false
        var hasFailed = false
        var failure: (any Error)?
        var isClosed = false
    }

    private let state = Locked(State())
    private let wake: @Sendable () -> Void

    /// The size of the body in bytes, or `nil` if it is unknown.
    let length: Int?

    /// Creates an empty body.
    ///
    /// - Parameters:
    ///   - length: The size of the body in bytes, or `nil` if it is unknown.
    ///   - wake: Wakes the loop so that it resumes the transfer.
    init(length: Int?, wake: @escaping @Sendable () -> Void) {
        self.length = length
        self.wake = wake
    }

    /// Whether the producer has failed.
    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    /// The error that the producer has thrown, if any.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Starts producing the body.
    func start(_ body: HTTP.Upload) {
        let task = Task {
            do {
                try await body.produce { try await self.write($0) }
                complete()
            } catch {
                fail(with: error)
            }
        }
        let isClosed = state.withLock { state in
            state.producer = task
            return state.isClosed
        }
        if isClosed { task.cancel() }
    }

    /// Passes a chunk to the loop and returns when all of it has been sent.
    ///
    /// - Throws: `CancellationError` if the exchange has ended or the task is cancelled.
    private func write(_ part: [UInt8]) async throws {
        guard !part.isEmpty else { return }
        try Task.checkCancellation()
        let isSent = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isClosed = state.withLock { state in
                    // A second concurrent writer would mix up the order of the body.
                    guard !state.isClosed, !state.hasFailed, state.writer == nil else { return true }
                    (state.part, state.sent, state.writer) = (part, 0, continuation)
                    state.total += part.count
                    if let length, state.total > length { state.hasFailed = true }
                    return false
                }
                if isClosed { continuation.resume(returning: false) } else { wake() }
            }
        } onCancel: {
            fail()
        }
        guard isSent else { throw CancellationError() }
    }

    /// Marks the body as complete, or as failed if its length differs from the announced one.
    private func complete() {
        state.withLock { state in
            state.isComplete = true
            if let length, state.total != length { state.hasFailed = true }
        }
        wake()
    }

    /// Marks the body as failed, which aborts the exchange.
    ///
    /// Only the first failure of an exchange that hasn't ended is recorded. The producer throws later errors
    /// because its chunks are rejected.
    private func fail(with error: (any Error)? = nil) {
        state.withLock { state in
            if !state.hasFailed, !state.isClosed { state.failure = error }
            state.hasFailed = true
        }
        wake()
    }

    /// Copies the next bytes of the body.
    ///
    /// Called on the loop's thread.
    func read(into space: UnsafeMutableRawBufferPointer) -> Bytes {
        let (bytes, writer): (Bytes, CheckedContinuation<Bool, Never>?) = state.withLock { state in
            if state.hasFailed { return (.abort, nil) }
            guard state.sent < state.part.count else {
                state.isPaused = !state.isComplete
                return (state.isComplete ? .copied(0) : .pause, nil)
            }
            let piece = state.part[state.sent...].prefix(space.count)
            space.copyBytes(from: piece)
            state.sent += piece.count
            guard state.sent == state.part.count else { return (.copied(piece.count), nil) }
            defer { state.writer = nil }
            return (.copied(piece.count), state.writer)
        }
        writer?.resume(returning: true)
        return bytes
    }

    /// Returns whether the transfer was paused and can continue.
    ///
    /// If so, the transfer is no longer marked as paused.
    func takeResumption() -> Bool {
        state.withLock { state in
            guard
                state.isPaused,
                state.hasFailed || state.isComplete || state.sent < state.part.count
            else { return false }
            state.isPaused = false
            return true
        }
    }

    /// Cancels the producer and rejects additional chunks because the exchange has ended.
    func close() {
        let (writer, producer) = state.withLock { state in
            state.isClosed = true
            defer { (state.writer, state.producer) = (nil, nil) }
            return (state.writer, state.producer)
        }
        writer?.resume(returning: false)
        producer?.cancel()
    }
}
