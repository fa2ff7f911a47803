import Dispatch
import Glibc
import LatchkeyModel

/// Waits on the loopback interface until a browser is led back to the app (RFC 8252, sections 7.3 and 8.3).
///
/// One matching request is answered with a page that says to return to the app, all others with 404. Connections are
/// limited in number and time, so that another program can't keep the browser out.
final class LoopbackListener: Sendable {
    /// The number of connections that are open at the same time.
    ///
    /// The oldest one is closed for a new one.
    static let connectionLimit = 32
    /// How long a connection may take to send its request.
    static let patience: Duration = .seconds(5)

    /// The port, which the system has chosen.
    let port: UInt16

    private let descriptor: Int32
    private let pipe: WakePipe

    /// An open connection.
    private struct Client {
        let descriptor: Int32
        let end: ContinuousClock.Instant
        var request = LoopbackRequest()
    }

    /// Begins to listen on a free port.
    ///
    /// Returns `nil` if the system has no free descriptor or port.
    init?() {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                bind(descriptor, name, size) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, name, &size) == 0
            }
        }
        guard isBound, let pipe = WakePipe() else {
            close(descriptor)
            return nil
        }
        (self.descriptor, self.pipe) = (descriptor, pipe)
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        close(descriptor)
        pipe.close()
    }

    /// Ends the wait, and all later ones.
    func stop() {
        pipe.signal()
    }

    /// Waits for a request on another thread.
    ///
    /// - Parameters:
    ///   - page: The page that the answer to the matching request contains.
    ///   - isAnswer: Returns whether a URL is the one to wait for.
    /// - Returns: The URL, or `nil` if the wait was ended.
    func url(answering page: String, until isAnswer: @escaping @Sendable (String) -> Bool) async -> String? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { [self] in
                    continuation.resume(returning: wait(answering: page, until: isAnswer))
                }
            }
        } onCancel: {
            stop()
        }
    }

    // MARK: The loop

    private func wait(answering page: String, until isAnswer: (String) -> Bool) -> String? {
        var clients: [Client] = []
        defer { for client in clients { close(client.descriptor) } }
        while true {
            guard let ready = pipe.ready(among: [descriptor] + clients.map(\.descriptor), atMost: 1000) else {
                return nil
            }
            var kept: [Client] = []
            var found: String?
            for var client in clients {
                guard found == nil, ready.contains(client.descriptor) else {
                    kept.append(client)
                    continue
                }
                switch Self.read(into: &client, port: port) {
                case .incomplete?: kept.append(client)
                case .get(let url)? where isAnswer(url):
                    Self.answer(client.descriptor, "200 OK", page)
                    found = url
                case .get?, .other?: Self.answer(client.descriptor, "404 Not Found", "")
                case nil: close(client.descriptor)
                }
            }
            clients = kept
            if let found { return found }
            let now = ContinuousClock.now
            clients = kept.filter { client in
                if client.end <= now { close(client.descriptor) }
                return client.end > now
            }
            if ready.contains(descriptor) { accept(into: &clients, at: now) }
        }
    }

    private func accept(into clients: inout [Client], at now: ContinuousClock.Instant) {
        let accepted = Glibc.accept(descriptor, nil, nil)
        guard accepted >= 0 else { return }
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
        clients.append(Client(descriptor: accepted, end: now + Self.patience))
        if clients.count > Self.connectionLimit { close(clients.removeFirst().descriptor) }
    }

    /// Reads what has arrived, or returns `nil` if the connection has ended.
    private static func read(into client: inout Client, port: UInt16) -> LoopbackRequest.Outcome? {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = recv(client.descriptor, &chunk, chunk.count, 0)
        if count < 0 { return errno == EAGAIN || errno == EINTR ? .incomplete : nil }
        guard count > 0 else { return nil }
        return client.request.add(chunk[..<count], port: port)
    }

    /// Sends a response and closes the connection.
    private static func answer(_ descriptor: Int32, _ status: String, _ page: String) {
        let head = """
            HTTP/1.1 \(status)\r
            Content-Type: text/html; charset=utf-8\r
            Content-Length: \(page.utf8.count)\r
            Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'\r
            Referrer-Policy: no-referrer\r
            X-Content-Type-Options: nosniff\r
            Cache-Control: no-store\r
            Connection: close\r
            \r\n
            """
        let bytes = Array((head + page).utf8)
        // The response fits into the buffer of the socket.
        _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        shutdown(descriptor, Int32(SHUT_WR))
        close(descriptor)
    }
}

extension WakePipe {
    /// Waits until some descriptors are readable.
    ///
    /// - Parameters:
    ///   - descriptors: The descriptors to read from.
    ///   - limit: The longest time to wait, in milliseconds.
    /// - Returns: The readable ones, which are none after the limit, or `nil` if ``signal()`` was called.
    func ready(among descriptors: [Int32], atMost limit: Int32) -> Set<Int32>? {
        guard let end = readEnd else { return nil }
        var polled = ([end] + descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&polled, nfds_t(polled.count), limit) < 0 {
            guard errno == EINTR else { return nil }
        }
        guard polled[0].revents == 0 else { return nil }
        return Set(polled.dropFirst().filter { $0.revents != 0 }.map(\.fd))
    }
}
