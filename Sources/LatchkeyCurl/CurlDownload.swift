import LatchkeyModel
import LatchkeyWire

/// The body of a streamed response.
///
/// The body buffers data between the loop's thread and the consumer.
///
/// While the buffer is full, the loop pauses the transfer.
final class CurlDownload: Sendable {
    /// The number of buffered bytes above which the transfer is paused.
    static let highWater = 1 << 18

    /// The continuation of a consumer that is waiting for the next chunk.
    typealias Consumer = CheckedContinuation<Result<[UInt8]?, TransportError>, Never>

    private struct State {
        var buffer: [UInt8] = []
        var isPaused = false
        var isCancelled = false
        /// The result to return after the buffered bytes, or `nil` while the transfer is running.
        var end: Result<Void, TransportError>?
        var consumer: Consumer?
    }

    private let state = Locked(State())
    private let wake: @Sendable () -> Void

    /// Creates an empty buffer.
    ///
    /// - Parameter wake: Wakes the loop so that it resumes or drops the transfer.
    init(wake: @escaping @Sendable () -> Void) {
        self.wake = wake
    }

    /// Whether the consumer has cancelled.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Accepts a chunk of the body.
    ///
    /// Called on the loop's thread.
    ///
    /// - Returns: `false` if the buffer is full. The loop then pauses the transfer and passes the chunk again
    ///   later.
    func receive(_ part: UnsafeRawBufferPointer) -> Bool {
        let bytes = Array(part)
        let (consumer, isAccepted): (Consumer?, Bool) = state.withLock { state in
            if let consumer = state.consumer {
                state.consumer = nil
                return (consumer, true)
            }
            guard state.buffer.count < Self.highWater else {
                state.isPaused = true
                return (nil, false)
            }
            state.buffer += bytes
            return (nil, true)
        }
        consumer?.resume(returning: .success(bytes))
        return isAccepted
    }

    /// Returns whether the transfer was paused and can continue.
    ///
    /// If so, the transfer is no longer marked as paused.
    func takeResumption() -> Bool {
        state.withLock { state in
            guard state.isPaused, state.buffer.isEmpty else { return false }
            state.isPaused = false
            return true
        }
    }

    /// Completes the body.
    ///
    /// Called on the loop's thread.
    func finish(_ end: Result<Void, TransportError>) {
        let consumer = state.withLock { state in
            state.end = state.end ?? end
            defer { state.consumer = nil }
            return state.consumer
        }
        consumer?.resume(returning: end.map { nil })
    }

    /// Cancels the transfer.
    func cancel() {
        let consumer = state.withLock { state in
            state.isCancelled = true
            defer { state.consumer = nil }
            return state.consumer
        }
        consumer?.resume(returning: .failure(Self.cancelled))
        wake()
    }

    /// Waits for the next chunk.
    func next() async throws(TransportError) -> [UInt8]? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (consumer: Consumer) in
                let (ready, mustWake) = state.withLock { state in take(from: &state, for: consumer) }
                if let ready { consumer.resume(returning: ready) }
                if mustWake { wake() }
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    /// Returns the result for a consumer, or `nil` if the consumer has to wait.
    private func take(
        from state: inout State,
        for consumer: Consumer
    ) -> (ready: Result<[UInt8]?, TransportError>?, mustWake: Bool) {
        if state.isCancelled { return (.failure(Self.cancelled), false) }
        if !state.buffer.isEmpty {
            defer { state.buffer = [] }
            return (.success(state.buffer), state.isPaused)
        }
        if let end = state.end { return (end.map { nil }, false) }
        guard state.consumer == nil else {
            let error = TransportError(.invalidRequest, message: "A body can be iterated only once.")
            return (.failure(error), false)
        }
        state.consumer = consumer
        return (nil, state.isPaused)
    }

    private static let cancelled = TransportError(.cancelled, message: "The task was cancelled.")
}

/// Retains the transport while the consumer holds the body, and cancels the transfer when the body is
/// released.
final class CurlBodySource: HTTP.ResponseBody.Source {
    private let download: CurlDownload
    private let transport: CurlTransport

    init(_ download: CurlDownload, of transport: CurlTransport) {
        (self.download, self.transport) = (download, transport)
    }

    deinit {
        download.cancel()
    }

    func next() async throws(TransportError) -> [UInt8]? {
        try await download.next()
    }
}
