import Glibc

/// An event stream that the load generator keeps open.
final class StreamConnection {
    private let descriptor: Int32
    private var received: [UInt8] = []

    /// Opens a session's event stream and waits for the first event.
    init(port: Int, token: String) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw BlockingConnection.Failure(what: "socket: \(errno)") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw BlockingConnection.Failure(what: "connect: \(errno)") }
        let request =
            "GET /a/sessions/events HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n"
            + "X-Session-Token: \(token)\r\n\r\n"
        _ = Array(request.utf8).withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
        try wait(for: "event: state")
        received = []
    }

    deinit { close(descriptor) }

    /// Blocks until the given text has been received.
    func wait(for text: String) throws {
        var part = [UInt8](repeating: 0, count: 4096)
        while !String(decoding: received, as: UTF8.self).contains(text) {
            let count = recv(descriptor, &part, part.count, 0)
            guard count > 0 else {
                throw BlockingConnection.Failure(
                    what: "the stream ended: \(String(decoding: received, as: UTF8.self).prefix(300))"
                )
            }
            received += part[..<count]
        }
    }

    /// Blocks until each of the connections has received the given text, and calls a function for each of them.
    static func wait(
        for text: String,
        on connections: [StreamConnection],
        received: (_ index: Int) throws -> Void
    ) throws {
        var waiting = connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        var left = connections.count
        while left > 0 {
            guard poll(&waiting, nfds_t(waiting.count), 120_000) > 0 else {
                throw BlockingConnection.Failure(what: "\(left) streams have not received \(text)")
            }
            for index in waiting.indices where waiting[index].revents != 0 {
                guard try connections[index].receive(text) else { continue }
                // The system ignores negative descriptors.
                waiting[index].fd = -1
                waiting[index].revents = 0
                left -= 1
                try received(index)
            }
        }
    }

    /// Reads available bytes, and returns whether the text has been received.
    private func receive(_ text: String) throws -> Bool {
        var part = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &part, part.count, 0)
        guard count > 0 else { throw BlockingConnection.Failure(what: "the stream ended") }
        received += part[..<count]
        return String(decoding: received, as: UTF8.self).contains(text)
    }
}
