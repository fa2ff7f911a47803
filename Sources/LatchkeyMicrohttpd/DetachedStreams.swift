import CMicrohttpdShim
import Glibc
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// A server's detached streams, and the thread that waits for their sockets.
final class DetachedStreams: Sendable {
    /// The number that identifies the socket that wakes the thread.
    private static let wakeNumber = UInt64.max

    private struct State {
        var streams: [UInt64: DetachedStream] = [:]
        var numbers: UInt64 = 0
        var isClosed = false
        var thread: WorkThread?
    }

    private let registry: ConnectionRegistry
    /// The epoll instance.
    private let descriptor: Int32
    /// A pair of connected sockets.
    ///
    /// A socket that is detached from the library is replaced with a duplicate of the first socket in the
    /// pair.
    private let placeholder: [Int32]
    /// The socket that wakes the thread when its peer, ``waker``, is closed.
    private let woken: Int32
    private let waker: Locked<Int32?>
    private let state = Locked(State())

    /// Creates an empty collection.
    ///
    /// The thread is started when the first stream is added.
    init(registry: ConnectionRegistry) throws(HTTPServerError) {
        var (pair, placeholder): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        let descriptor = latchkey_streams_create()
        guard
            descriptor >= 0, latchkey_socket_pair(&pair) == 0, latchkey_socket_pair(&placeholder) == 0
        else {
            for open in [descriptor] + pair where open >= 0 { close(open) }
            throw .outOfResources
        }
        self.registry = registry
        self.descriptor = descriptor
        self.placeholder = placeholder
        woken = pair[0]
        waker = Locked(pair[1])
    }

    deinit {
        if let waker = waker.withLock({ $0 }) { close(waker) }
        for open in [descriptor, woken] + placeholder { close(open) }
    }

    /// Takes over the socket of a suspended connection and starts sending a response.
    ///
    /// - Parameters:
    ///   - socket: The socket to take over. Afterwards, the original descriptor refers to a placeholder.
    ///   - connection: The connection, which the stream replaces in the registry.
    ///   - head: The response's status line and header fields.
    ///   - stream: The response body.
    ///   - isChunked: Whether the body is sent with chunked transfer coding.
    /// - Returns: `false` if the process is out of descriptors or threads. In that case, the connection is
    ///   left unchanged.
    func take(
        _ socket: Int32,
        of connection: Connection,
        head: [UInt8],
        stream: HTTP.BodyStream,
        isChunked: Bool
    ) -> Bool {
        guard startThread() else { return false }
        let moved = latchkey_detach(socket, placeholder[0])
        guard moved >= 0 else { return false }
        let detached = state.withLock { state in
            state.numbers += 1
            let detached = DetachedStream(
                moved,
                number: state.numbers,
                head: head,
                stream: stream,
                isChunked: isChunked,
                networks: connection.networks,
                loop: self
            )
            state.streams[state.numbers] = detached
            return detached
        }
        registry.replace(connection, by: detached)
        detached.start()
        return true
    }

    /// Adds a socket to the epoll set.
    func add(_ socket: Int32, number: UInt64) -> Bool {
        latchkey_streams_set(descriptor, socket, number, 1, 0) == 0
    }

    /// Changes whether the thread waits for a socket to become writable.
    func change(_ socket: Int32, number: UInt64, wantsRoom: Bool) {
        _ = latchkey_streams_set(descriptor, socket, number, 0, wantsRoom ? 1 : 0)
    }

    /// Removes a stream after its socket was closed.
    func remove(_ stream: DetachedStream) {
        let isKnown = state.withLock { $0.streams.removeValue(forKey: stream.number) != nil }
        if isKnown { registry.remove(stream) }
    }

    /// Closes all streams and ends the thread.
    func stop() {
        let streams = state.withLock { state in
            state.isClosed = true
            return Array(state.streams.values)
        }
        for stream in streams { stream.close() }
        let waker = waker.withLock { waker in
            defer { waker = nil }
            return waker
        }
        if let waker { close(waker) }
    }

    /// Waits until the thread has ended.
    ///
    /// The thread only ends after a call to ``stop()``.
    func ended() async {
        await state.withLock { $0.thread }?.ended()
    }

    private func startThread() -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            guard state.thread == nil else { return true }
            guard latchkey_streams_set(descriptor, woken, Self.wakeNumber, 1, 0) == 0 else { return false }
            // The thread must not retain the collection, because the server has to be able to release it.
            state.thread = try? WorkThread { [weak self, descriptor] in
                while let events = Self.wait(descriptor) {
                    for event in events {
                        guard let self, event.number != Self.wakeNumber else { return }
                        self.state.withLock { $0.streams[event.number] }?.process(event)
                    }
                }
            }
            return state.thread != nil
        }
    }

    /// Waits for events.
    ///
    /// Returns `nil` if the epoll instance cannot be used.
    private static func wait(_ descriptor: Int32) -> [latchkey_stream_event]? {
        withUnsafeTemporaryAllocation(of: latchkey_stream_event.self, capacity: 64) { buffer in
            let count = latchkey_streams_wait(descriptor, buffer.baseAddress, Int32(buffer.count))
            guard count >= 0 else { return errno == EINTR ? [] : nil }
            return Array(buffer[..<Int(count)])
        }
    }
}
