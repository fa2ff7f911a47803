import CMicrohttpdShim
import Dispatch
import Glibc
import LatchkeyModel

/// A collection of sockets of rejected requests, which stay open until the client has received the response.
///
/// If a socket is closed while the client is still sending, the kernel replies with a reset, which can
/// destroy a response in flight. Input is therefore read and discarded, for at most 2 seconds and 1 MiB.
final class LingeringSockets: Sendable {
    /// The maximum number of sockets, beyond which further sockets are closed immediately.
    private static let limit = 64
    private static let timeLimit = DispatchTimeInterval.seconds(2)

    private let queue: DispatchQueue
    private let count = Locked(0)

    init(queue: DispatchQueue) {
        self.queue = queue
    }

    /// Takes ownership of a descriptor whose sending side is shut down, and closes it immediately if there
    /// are too many.
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
/// `@unchecked Sendable`: once reading has started, the socket is used only on the queue.
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

    /// Reads and discards input, and closes the socket at the end of the input, on errors and when the limit
    /// is exceeded.
    private func discard() {
        let read = withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) { buffer in
            latchkey_receive_now(descriptor, buffer.baseAddress, buffer.count)
        }
        if read < 0, errno == EAGAIN || errno == EINTR { return }
        seen += max(read, 0)
        if read <= 0 || seen > Self.byteLimit { end() }
    }
}
