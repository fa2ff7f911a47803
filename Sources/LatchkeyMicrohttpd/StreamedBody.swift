import CMicrohttpd
import LatchkeyModel
import LatchkeyWire

/// A response body that the handler produces while the library is sending it.
///
/// The library requests bytes on its own thread whenever the client can receive more. If no bytes are
/// available, the connection is suspended until the producer writes the next chunk. The producer waits until
/// its chunk has been sent.
final class StreamedBody: Sendable {
    private enum End {
        case complete
        /// The producer failed, the client disconnected, or the server was forced to stop.
        case broken
    }

    private struct State {
        var producer: Task<Void, Never>?
        /// The bytes that were written but not sent yet.
        var pending: ArraySlice<UInt8> = []
        /// The continuations of the `write` calls for those bytes.
        var writers: [CheckedContinuation<Void, any Error>] = []
        var end: End?
        var isSuspended = false
        var isDraining = false
    }

    private let stream: HTTP.BodyStream
    private let connection: Connection
    private let state = Locked(State())

    init(_ stream: HTTP.BodyStream, of connection: Connection) {
        self.stream = stream
        self.connection = connection
    }

    // MARK: On the library's thread

    /// Copies the next bytes, or suspends the connection if there are none.
    ///
    /// The first call starts the producer.
    ///
    /// - Returns: The number of bytes copied, 0 if the connection was suspended, or the library's code for
    ///   the end of the body.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let (result, writers) = state.withLock { state -> (Int, [CheckedContinuation<Void, any Error>]) in
            if !state.pending.isEmpty {
                let part = state.pending.prefix(buffer.count)
                buffer.copyBytes(from: part)
                state.pending = state.pending.dropFirst(part.count)
                guard state.pending.isEmpty else { return (part.count, []) }
                defer { state.writers = [] }
                return (part.count, state.writers)
            }
            switch state.end {
            case .complete: return (Self.endOfStream, [])
            case .broken: return (Self.endWithError, [])
            case nil: break
            }
            connection.suspend()
            state.isSuspended = true
            start(&state)
            return (0, [])
        }
        connection.enter(result == 0 ? .producing : .answering)
        for writer in writers { writer.resume() }
        return result
    }

    /// Stops the producer after the library has sent the whole body, or has stopped before the end.
    func close() {
        abandon()
        connection.forget(self)
    }

    // MARK: On any thread

    /// Asks the producer to complete the body because the server is stopping.
    func drain() {
        state.withLock { state in
            state.isDraining = true
            return state.producer
        }?.cancel()
    }

    /// Cancels the producer.
    ///
    /// An incomplete body is aborted.
    func abandon() {
        let (producer, writers) = state.withLock { state in
            if state.end == nil {
                state.end = .broken
                state.pending = []
            }
            resume(&state)
            defer { state.writers = [] }
            return (state.producer, state.writers)
        }
        producer?.cancel()
        for writer in writers { writer.resume(throwing: CancellationError()) }
    }

    private func start(_ state: inout State) {
        guard state.producer == nil else { return }
        let producer = Task { await produce() }
        if state.isDraining { producer.cancel() }
        state.producer = producer
    }

    private func produce() async {
        let end: End
        do {
            try await stream.produce { part in try await self.write(part) }
            end = .complete
        } catch {
            end = .broken
        }
        state.withLock { state in
            if state.end == nil { state.end = end }
            resume(&state)
        }
    }

    private func write(_ part: [UInt8]) async throws {
        guard !part.isEmpty else { return }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let isOpen = state.withLock { state in
                guard state.end == nil else { return false }
                state.pending += part
                state.writers.append(continuation)
                resume(&state)
                return true
            }
            if !isOpen { continuation.resume(throwing: CancellationError()) }
        }
    }

    /// Resumes a suspended connection so that the library requests bytes again.
    ///
    /// The caller must hold the lock so that the library cannot be stopped before this method returns.
    private func resume(_ state: inout State) {
        guard state.isSuspended else { return }
        state.isSuspended = false
        connection.resume()
    }

    /// The values of `MHD_CONTENT_READER_END_OF_STREAM` and `…_WITH_ERROR`.
    ///
    /// Swift does not import these macros because they contain casts.
    private static let (endOfStream, endWithError) = (-1, -2)
}
