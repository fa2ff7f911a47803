import CMicrohttpdShim
import Dispatch
import Glibc
import LatchkeyModel

/// Sockets of refused requests, kept open until the client has read the refusal.
///
/// A socket that is closed while the client still sends answers with a reset, which can destroy the answer on its
/// way. So input is read and thrown away, for a short time and up to a bound.
final class LingeringSockets: Sendable {
    private static let most = 64
    private static let timeLimit = DispatchTimeInterval.seconds(2)

    private let queue: DispatchQueue
    private let count = Locked(0)

    init(queue: DispatchQueue) {
        self.queue = queue
    }

    /// Takes over a descriptor whose sending side is shut down.
    func add(_ descriptor: Int32) {
        let hasRoom = count.withLock { count in
            guard count < Self.most else { return false }
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

/// One such socket.
///
/// `@unchecked Sendable`: after the start everything happens on the queue.
private final class LingeringSocket: @unchecked Sendable {
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

    private func discard() {
        let read = withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) { buffer in
            latchkey_receive_now(descriptor, buffer.baseAddress, buffer.count)
        }
        if read < 0, errno == EAGAIN || errno == EINTR { return }
        seen += max(read, 0)
        if read <= 0 || seen > Self.byteLimit { end() }
    }
}
