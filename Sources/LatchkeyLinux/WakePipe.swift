import Glibc
import LatchkeyModel

/// A pipe that is used to end a wait for input from another thread.
final class WakePipe: Sendable {
    private struct Ends {
        let read: Int32
        let write: Int32
    }

    private let ends: Locked<Ends?>

    /// Opens a pipe.
    ///
    /// Returns `nil` if the process has too many open files.
    init?() {
        var descriptors: [Int32] = [0, 0]
        // Unlike a pipe, a pair of sockets can be created in such a way that another thread which starts a
        // program at this moment doesn't pass it on.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &descriptors) == 0 else { return nil }
        ends = Locked(Ends(read: descriptors[0], write: descriptors[1]))
    }

    /// Ends the current wait and all later ones.
    ///
    /// This method has no effect after ``close()``.
    func signal() {
        ends.withLock { ends in
            guard let ends else { return }
            var byte: UInt8 = 0
            // The byte stays in the pipe, so calling this more than once makes no difference.
            _ = write(ends.write, &byte, 1)
        }
    }

    /// The descriptor that is readable after ``signal()``, or `nil` after ``close()``.
    var readEnd: Int32? { ends.withLock { $0?.read } }

    /// Waits until a descriptor is readable.
    ///
    /// - Parameter descriptor: The descriptor to read from.
    /// - Returns: `false` if ``signal()`` was called.
    func waits(for descriptor: Int32) -> Bool {
        guard let ends = ends.withLock({ $0 }) else { return false }
        var polled = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&polled, 2, -1) < 0 {
            guard errno == EINTR else { return false }
        }
        return polled[1].revents == 0
    }

    /// Closes the pipe.
    ///
    /// This method must not be called while another thread is waiting.
    func close() {
        ends.withLock { state in
            guard let ends = state else { return }
            Glibc.close(ends.read)
            Glibc.close(ends.write)
            state = nil
        }
    }
}
