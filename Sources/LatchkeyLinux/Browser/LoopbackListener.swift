import Dispatch
import Glibc
import LatchkeyModel

/// Waits on the loopback interface until a browser is led back to the app (RFC 8252, sections 7.3 and 8.3).
///
/// One matching request is answered with a page that says to return to the app, all others with 404. Connections are
/// limited in number and time, so that another program can't keep the browser out. The port is closed when the wait
/// ends.
final class LoopbackListener: Sendable {
    /// The number of connections that are open at the same time.
    ///
    /// The oldest one is closed for a new one.
    static let connectionLimit = 32
    /// How long a connection may take to send its request.
    static let requestTime: Duration = .seconds(5)

    /// Begins to listen on a free port of an address, and returns the socket and its port.
    typealias Opener =
        @Sendable (LoopbackHost) throws(LoopbackHost.ListenFailure) -> (descriptor: Int32, port: UInt16)

    /// The end of a wait.
    enum Outcome: Hashable, Sendable {
        /// The browser was led to a URL that is the answer.
        case url(String)
        /// The wait was ended.
        case stopped
        /// The time is up.
        case expired
    }

    /// The address at which the listener is reached.
    let host: LoopbackHost
    /// The port, which the system has chosen.
    let port: UInt16
    /// The address and the port as they appear in URLs.
    var authority: String { "\(host.rawValue):\(port)" }

    private let deadline: ContinuousClock.Instant
    private let pipe: WakePipe
    private let state: Locked<State>

    private enum State {
        case listening(Int32)
        case waiting
        case closed
    }

    /// An open connection.
    private struct Client {
        let descriptor: Int32
        let end: ContinuousClock.Instant
        var request = LoopbackRequest()
    }

    /// Begins to listen on a free port.
    ///
    /// Returns `nil` if the system has no free descriptor or port, or doesn't have the address.
    ///
    /// - Parameters:
    ///   - host: The address to listen on, or `nil` for 127.0.0.1, or [::1] if the system doesn't have that address.
    ///     Only one is bound, because the browser is led to this one.
    ///   - patience: How long to listen.
    ///   - opener: Opens the socket.
    init?(
        host: LoopbackHost? = nil,
        patience: Duration = .seconds(600),
        opener: Opener = { host throws(LoopbackHost.ListenFailure) in try host.listen() }
    ) {
        guard let (host, descriptor, port) = Self.open(host, with: opener) else { return nil }
        guard let pipe = WakePipe() else {
            close(descriptor)
            return nil
        }
        (self.host, self.port, self.pipe) = (host, port, pipe)
        deadline = .now + patience
        state = Locked(.listening(descriptor))
    }

    private static func open(
        _ host: LoopbackHost?,
        with opener: Opener
    ) -> (host: LoopbackHost, descriptor: Int32, port: UInt16)? {
        for host in host.map({ [$0] }) ?? [.ipv4, .ipv6] {
            do throws(LoopbackHost.ListenFailure) {
                let (descriptor, port) = try opener(host)
                return (host, descriptor, port)
            } catch {
                // Clients are often registered with 127.0.0.1 only, so a lack of ports mustn't lead to the other one.
                guard error.isMissingAddress else { return nil }
            }
        }
        return nil
    }

    deinit {
        stop()
        pipe.close()
    }

    /// Closes the port, and ends the wait.
    func stop() {
        pipe.signal()
        state.withLock { state in
            if case .listening(let descriptor) = state {
                close(descriptor)
                state = .closed
            }
        }
    }

    /// Waits for a request on another thread.
    ///
    /// This method can be called once.
    ///
    /// - Parameters:
    ///   - page: The page that the answer to the matching request contains.
    ///   - isAnswer: Returns whether a URL is the one to wait for.
    /// - Returns: The URL, or the reason why there is none.
    func url(answering page: String, until isAnswer: @escaping @Sendable (String) -> Bool) async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { [self] in
                    let descriptor = state.withLock { state -> Int32? in
                        guard case .listening(let descriptor) = state else { return nil }
                        state = .waiting
                        return descriptor
                    }
                    guard let descriptor else { return continuation.resume(returning: .stopped) }
                    let outcome = wait(on: descriptor, answering: page, until: isAnswer)
                    close(descriptor)
                    state.withLock { $0 = .closed }
                    continuation.resume(returning: outcome)
                }
            }
        } onCancel: {
            stop()
        }
    }

    // MARK: The loop

    private func wait(
        on descriptor: Int32,
        answering page: String,
        until isAnswer: (String) -> Bool
    ) -> Outcome {
        var clients: [Client] = []
        defer { for client in clients { close(client.descriptor) } }
        while true {
            let rest = deadline - .now
            guard rest > .zero else { return .expired }
            // Idle connections are closed at least once per second.
            let limit = rest < .seconds(1) ? Int32(rest / .milliseconds(1)) + 1 : 1000
            guard let ready = pipe.ready(among: [descriptor] + clients.map(\.descriptor), atMost: limit)
            else {
                return .stopped
            }
            var kept: [Client] = []
            var found: String?
            for var client in clients {
                guard found == nil, ready.contains(client.descriptor) else {
                    kept.append(client)
                    continue
                }
                switch read(into: &client) {
                case .incomplete?: kept.append(client)
                case .get(let url)? where isAnswer(url):
                    Self.answer(client.descriptor, status: "200 OK", page: page)
                    found = url
                case .get?, .other?: Self.answer(client.descriptor, status: "404 Not Found", page: "")
                case nil: close(client.descriptor)
                }
            }
            clients = kept
            if let found { return .url(found) }
            let now = ContinuousClock.now
            clients = kept.filter { client in
                if client.end <= now { close(client.descriptor) }
                return client.end > now
            }
            if ready.contains(descriptor) { accept(from: descriptor, into: &clients, at: now) }
        }
    }

    private func accept(from descriptor: Int32, into clients: inout [Client], at now: ContinuousClock.Instant)
    {
        let accepted = Glibc.accept(descriptor, nil, nil)
        guard accepted >= 0 else { return }
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
        clients.append(Client(descriptor: accepted, end: now + Self.requestTime))
        if clients.count > Self.connectionLimit { close(clients.removeFirst().descriptor) }
    }

    /// Reads what has arrived, or returns `nil` if the connection has ended.
    private func read(into client: inout Client) -> LoopbackRequest.Outcome? {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = recv(client.descriptor, &chunk, chunk.count, 0)
        if count < 0 { return errno == EAGAIN || errno == EINTR ? .incomplete : nil }
        guard count > 0 else { return nil }
        return client.request.add(chunk[..<count], to: authority)
    }

    /// Sends a response and closes the connection.
    private static func answer(_ descriptor: Int32, status: String, page: String) {
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
