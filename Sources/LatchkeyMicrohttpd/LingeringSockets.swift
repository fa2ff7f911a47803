import CMicrohttpdShim
import Dispatch
import Glibc
import LatchkeyModel

/// Sockets of refused requests, kept open until the client has received the refusal.
///
/// If a socket is closed while the client still sends, the kernel replies with a reset, which can destroy a
/// response in flight. So input is read and discarded, up to a limit of time (2 seconds) and size (1 MiB).
final class LingeringSockets: Sendable {
    /// The maximum number of sockets; further ones are closed at once.
    private static let limit = 64
    private static let timeLimit = DispatchTimeInterval.seconds(2)

    private let queue: DispatchQueue
    private let count = Locked(0)

    init(queue: DispatchQueue) {
        self.queue = queue
    }

    /// Takes ownership of a descriptor whose sending side is shut down; closes it at once if there are too
    /// many.
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
/// `@unchecked Sendable`: after the start it is used on the queue only.
private final class LingeringSocket: @unchecked Sendable {
    /// The number of bytes that are discarded at most.
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

    /// Reads and discards input; closes the socket at its end, on errors and beyond the limit.
    private func discard() {
        let read = withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) { buffer in
            latchkey_receive_now(descriptor, buffer.baseAddress, buffer.count)
        }
        if read < 0, errno == EAGAIN || errno == EINTR { return }
        seen += max(read, 0)
        if read <= 0 || seen > Self.byteLimit { end() }
    }
}
