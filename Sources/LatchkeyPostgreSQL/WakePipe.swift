import LatchkeyServerKit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A pair of connected descriptors used to wake up a thread that is blocked in `poll`.
///
/// Neither end blocks, and child processes don't inherit them.
final class WakePipe: Sendable {
    /// The end that becomes readable when the pipe is signaled.
    let reading: Int32
    private let writing: Int32

    /// Creates a pipe.
    ///
    /// Throws `unavailable` if the process has too many open files.
    init() throws(DatabaseError) {
        var ends: [Int32] = [0, 0]
        #if canImport(Darwin)
        let isOpen = pipe(&ends) == 0
        #else
        // Unlike a pipe, a pair of sockets can be created in such a way that another thread which starts a
        // program at this moment doesn't pass it on.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let isOpen = socketpair(AF_UNIX, type, 0, &ends) == 0
        #endif
        guard isOpen else {
            throw DatabaseError(.unavailable, message: "Cannot create a pipe (errno \(errno)).")
        }
        (reading, writing) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Makes the reading end readable until ``drain()`` is called.
    func signal() {
        _ = write(writing, [1], 1)
    }

    /// Discards all signals.
    func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(reading, &bytes, bytes.count) > 0 {}
    }

    /// Blocks until the deadline passes, the pipe is signaled, or the socket has input.
    ///
    /// - Returns: `true` if the socket has input or was closed.
    @discardableResult
    func wait(until deadline: ContinuousClock.Instant, or socket: Int32? = nil) -> Bool {
        var descriptors = [pollfd(fd: reading, events: Int16(POLLIN), revents: 0)]
        if let socket { descriptors.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0)) }
        poll(&descriptors, nfds_t(descriptors.count), deadline.pollTimeout)
        return descriptors.count > 1 && descriptors[1].revents != 0
    }
}
