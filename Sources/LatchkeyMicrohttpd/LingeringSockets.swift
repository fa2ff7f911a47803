import CMicrohttpdShim
import Dispatch
import Glibc
import LatchkeyModel

/// Keeps the sockets of rejected requests open until the clients have received the responses.
///
/// If a socket is closed while the client is still sending, the kernel sends a reset that can destroy the
/// response in flight. To prevent the reset, input is read and discarded until 2 seconds have passed or 1 MiB
/// has been read.
final class LingeringSockets: Sendable {
    /// The maximum number of sockets.
    ///
    /// Additional sockets are closed immediately.
    private static let limit = 64
    private static let timeLimit = DispatchTimeInterval.seconds(2)

    private let queue: DispatchQueue
    private let count = Locked(0)

    init(queue: DispatchQueue) {
        self.queue = queue
    }

    /// Takes ownership of a descriptor whose sending side has been shut down.
    ///
    /// If there are too many sockets, the descriptor is closed immediately.
    func add(_ descriptor: Int32) {
        let hasRoom = count.withLock { count in
            guard count < Self.limit else { return false }
            count += 1
            return true
        }
        guard hasRoom else {
            close(descriptor)
            return
        }
        let socket = LingeringSocket(descriptor, queue: queue) { [count] in count.withLock { $0 -= 1 } }
        socket.start()
        queue.asyncAfter(deadline: .now() + Self.timeLimit) { socket.end() }
    }
}

/// A single lingering socket.
///
/// `@unchecked Sendable` is safe because the socket is only used on the queue once reading has started.
private final class LingeringSocket: @unchecked Sendable {
    /// The maximum number of bytes to discard.
    private static let byteLimit = 1 << 20

    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private let onClose: @Sendable () -> Void
    private var seen = 0

    init(_ descriptor: Int32, queue: DispatchQueue, onClose: @escaping @Sendable () -> Void) {
        self.descriptor = descriptor
        self.onClose = onClose
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    }

    func start() {
        source.setEventHandler { [self] in discard() }
        source.setCancelHandler { [descriptor, onClose] in
            close(descriptor)
            onClose()
        }
        source.activate()
    }

    func end() {
        source.cancel()
    }

    /// Reads and discards input.
    ///
    /// The socket is closed at the end of the input, after an error, or when the limit is exceeded.
    private func discard() {
        let read = withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) { buffer in
            latchkey_receive_now(descriptor, buffer.baseAddress, buffer.count)
        }
        if read < 0, errno == EAGAIN || errno == EINTR { return }
        seen += max(read, 0)
        if read <= 0 || seen > Self.byteLimit { end() }
    }
}
