import CMicrohttpdShim
import Dispatch
import Glibc
import LatchkeyModel

/// Keeps the sockets of rejected requests open until the clients have received the responses.
///
/// If a socket is closed while the client is still sending, the kernel sends a reset that can destroy the
/// response in flight. To prevent the reset, input is read and discarded until 2 seconds have passed or 1 MiB
/// has been read.
///
/// The sockets are polled, because libdispatch for Linux can access freed memory after a client has hung up
/// (swift-corelibs-libdispatch, issue 949), which any client could cause.
final class LingeringSockets: Sendable {
    /// The maximum number of sockets.
    ///
    /// Additional sockets are closed immediately.
    private static let limit = 64
    private static let timeLimit = DispatchTimeInterval.seconds(2)
    private static let pollInterval = DispatchTimeInterval.milliseconds(10)

    private let queue: DispatchQueue
    private let sockets = Locked<[LingeringSocket]>([])

    init(queue: DispatchQueue) {
        self.queue = queue
    }

    /// Takes ownership of a descriptor whose sending side has been shut down.
    ///
    /// If there are too many sockets, the descriptor is closed immediately.
    func add(_ descriptor: Int32) {
        let count = sockets.withLock { sockets in
            guard sockets.count < Self.limit else { return 0 }
            sockets.append(LingeringSocket(descriptor: descriptor, deadline: .now() + Self.timeLimit))
            return sockets.count
        }
        if count == 0 { close(descriptor) }
        if count == 1 { poll() }
    }

    /// Reads from all sockets soon, and again as long as there are any.
    private func poll() {
        queue.asyncAfter(deadline: .now() + Self.pollInterval) { [self] in
            let isEmpty = sockets.withLock { sockets in
                for index in sockets.indices.reversed() where sockets[index].isDone(at: .now()) {
                    close(sockets.remove(at: index).descriptor)
                }
                return sockets.isEmpty
            }
            if !isEmpty { poll() }
        }
    }
}

/// A single lingering socket.
private struct LingeringSocket {
    /// The maximum number of bytes to discard.
    private static let byteLimit = 1 << 20
    /// The maximum number of bytes to discard at once, because other sockets and new connections are waiting.
    private static let pollLimit = 1 << 16

    let descriptor: Int32
    let deadline: DispatchTime
    private var seen = 0

    init(descriptor: Int32, deadline: DispatchTime) {
        (self.descriptor, self.deadline) = (descriptor, deadline)
    }

    /// Reads and discards input without blocking.
    ///
    /// - Returns: `true` at the end of the input, after an error, or when a limit is reached.
    mutating func isDone(at now: DispatchTime) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) { buffer in
            let end = seen + Self.pollLimit
            while seen <= Self.byteLimit {
                if seen >= end { return now >= deadline }
                let read = latchkey_receive_now(descriptor, buffer.baseAddress, buffer.count)
                if read < 0, errno == EAGAIN { return now >= deadline }
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { return true }
                seen += read
            }
            return true
        }
    }
}
