import CMicrohttpd
import CMicrohttpdShim
import Glibc
import LatchkeyModel
import LatchkeyWire

/// A long-lived streamed response on a socket that was taken over from the library.
///
/// The library allocates a buffer for each of its connections that is larger than everything an idle stream
/// needs. A detached stream only has a buffer while its client is slower than its producer.
final class DetachedStream: ServedConnection {
    private enum End {
        case complete
        /// The producer failed, the client disconnected, or the server was forced to stop.
        case broken
    }

    private struct State {
        /// The socket, or `nil` once it is closed.
        var descriptor: Int32?
        var producer: Task<Void, Never>?
        /// The bytes that the socket has not accepted yet.
        var pending: ArraySlice<UInt8> = []
        /// The continuations of the `write` calls for those bytes.
        var writers: [CheckedContinuation<Void, any Error>] = []
        var end: End?
        var wantsRoom = false
        var isDraining = false
        /// The number of bytes that the client has sent after its request.
        var discarded = 0
        var generation: UInt64 = 0
    }

    /// The work that follows a state change and has to be done after the lock has been released.
    private struct Rest {
        var writers: [CheckedContinuation<Void, any Error>] = []
        var isClosed = false
        var producer: Task<Void, Never>?
    }

    /// The maximum number of bytes that the client may send after its request.
    private static let inputLimit = 64 * 1024

    let networks: [ClientNetwork]
    /// The stream's number in the loop.
    let number: UInt64
    private let stream: HTTP.BodyStream
    private let isChunked: Bool
    private let loop: DetachedStreams
    private let state: Locked<State>

    /// Takes ownership of a socket.
    ///
    /// - Parameters:
    ///   - descriptor: The non-blocking socket.
    ///   - number: The stream's number in the loop.
    ///   - head: The response's status line and header fields.
    ///   - stream: The response body.
    ///   - isChunked: Whether the body is sent with chunked transfer coding.
    ///   - networks: The networks whose limits include this connection.
    ///   - loop: The loop that waits for the socket.
    init(
        _ descriptor: Int32,
        number: UInt64,
        head: [UInt8],
        stream: HTTP.BodyStream,
        isChunked: Bool,
        networks: [ClientNetwork],
        loop: DetachedStreams
    ) {
        (self.number, self.stream, self.isChunked) = (number, stream, isChunked)
        (self.networks, self.loop) = (networks, loop)
        state = Locked(State(descriptor: descriptor, pending: head[...]))
    }

    /// Sends the head and starts the producer.
    func start() {
        update { state in
            guard let descriptor = state.descriptor, loop.add(descriptor, number: number) else {
                state.end = .broken
                return
            }
            let producer = Task { await produce() }
            if state.isDraining { producer.cancel() }
            state.producer = producer
        }
    }

    // MARK: On the loop's thread

    /// Handles a socket event.
    func process(_ event: latchkey_stream_event) {
        update { state in
            guard let descriptor = state.descriptor else { return }
            if event.broken != 0 { state.end = .broken }
            if event.readable != 0 { Self.discardInput(of: descriptor, &state) }
        }
    }

    /// Reads input that clients should not send, and detects the end of the connection.
    private static func discardInput(of descriptor: Int32, _ state: inout State) {
        let count = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            latchkey_receive_now(descriptor, buffer.baseAddress, buffer.count)
        }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        state.discarded += max(0, count)
        if count <= 0 || state.discarded > inputLimit { state.end = .broken }
    }

    // MARK: The producer

    private func produce() async {
        let end: End
        do {
            try await stream.produce { part in try await self.write(part) }
            end = .complete
        } catch {
            end = .broken
        }
        update { state in
            guard state.end == nil else { return }
            if end == .complete, isChunked { state.pending += "0\r\n\r\n".utf8 }
            state.end = end
        }
    }

    private func write(_ part: [UInt8]) async throws {
        guard !part.isEmpty else { return }
        try await withCheckedThrowingContinuation { continuation in
            update { state in
                guard state.end == nil, state.descriptor != nil else {
                    // The `update` method then resumes the continuation with an error.
                    state.writers.append(continuation)
                    return
                }
                if isChunked { state.pending += "\(String(part.count, radix: 16))\r\n".utf8 }
                state.pending += part
                if isChunked { state.pending += "\r\n".utf8 }
                state.writers.append(continuation)
            }
        }
    }

    // MARK: Under the registry's lock

    var progress: (phase: ConnectionPhase, generation: UInt64) {
        state.withLock { ($0.pending.isEmpty ? .producing : .answering, $0.generation) }
    }

    func cut() {
        // The loop will notice the broken connection and remove it from the registry.
        state.withLock { state in
            if let descriptor = state.descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    func drain() {
        state.withLock { state in
            state.isDraining = true
            return state.producer
        }?.cancel()
    }

    func abandon() {
        state.withLock { state in
            if let descriptor = state.descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
            return state.producer
        }?.cancel()
    }

    // MARK: The socket

    /// Closes the stream because the loop is ending.
    func close() {
        update { $0.end = .broken }
    }

    /// Changes the state, sends what the socket accepts, and closes the socket if the stream has ended.
    private func update(_ change: (inout State) -> Void) {
        let rest = state.withLock { state in
            change(&state)
            return settle(&state)
        }
        for writer in rest.writers {
            if rest.isClosed { writer.resume(throwing: CancellationError()) } else { writer.resume() }
        }
        guard rest.isClosed else { return }
        rest.producer?.cancel()
        loop.remove(self)
    }

    /// Sends pending bytes.
    ///
    /// - Returns: The writers whose bytes were sent, or all writers if the stream was closed.
    private func settle(_ state: inout State) -> Rest {
        guard let descriptor = state.descriptor else {
            defer { state.writers = [] }
            return Rest(writers: state.writers, isClosed: !state.writers.isEmpty)
        }
        if state.end != .broken { send(&state, to: descriptor) }
        let isDone = state.end == .complete && state.pending.isEmpty
        if isDone || state.end == .broken {
            if isDone { shutdown(descriptor, Int32(SHUT_WR)) }
            // Closing the descriptor also removes it from the loop's epoll set.
            Glibc.close(descriptor)
            state.descriptor = nil
            state.pending = []
            defer { state.writers = [] }
            return Rest(writers: state.writers, isClosed: true, producer: state.producer)
        }
        let wantsRoom = !state.pending.isEmpty
        if wantsRoom != state.wantsRoom {
            state.wantsRoom = wantsRoom
            loop.change(descriptor, number: number, wantsRoom: wantsRoom)
        }
        guard !wantsRoom else { return Rest() }
        // We release the buffer's memory because the stream may be idle for hours.
        state.pending = []
        defer { state.writers = [] }
        return Rest(writers: state.writers)
    }

    private func send(_ state: inout State, to descriptor: Int32) {
        while !state.pending.isEmpty {
            let count = state.pending.withUnsafeBytes {
                latchkey_send_now(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                state.pending = state.pending.dropFirst(count)
                state.generation &+= 1
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                state.end = .broken
                return
            }
        }
    }
}
