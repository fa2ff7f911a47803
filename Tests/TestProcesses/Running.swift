import Foundation

/// A started program.
///
/// The object is only used by the thread that waits for the program.
struct Running {
    enum Stream { case output, errors }

    let identifier: pid_t
    let output: Int32
    let errors: Int32

    /// Reads both streams until they are closed.
    func follow(_ take: (Stream, [UInt8]) -> Void) {
        var open = [
            pollfd(fd: output, events: Int16(POLLIN), revents: 0),
            pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
        ]
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while open.contains(where: { $0.fd >= 0 }) {
            guard poll(&open, 2, -1) > 0 || errno == EINTR else { return }
            for index in open.indices where open[index].fd >= 0 && open[index].revents != 0 {
                let count = read(open[index].fd, &buffer, buffer.count)
                if count > 0 {
                    take(index == 0 ? .output : .errors, Array(buffer[..<count]))
                } else if count == 0 || errno != EINTR {
                    close(open[index].fd)
                    open[index].fd = -1
                }
            }
        }
    }

    /// Waits for the process to end.
    ///
    /// - Returns: The process's exit code, or the negative number of the signal that ended the process.
    func reap() -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : -signal
    }
}
