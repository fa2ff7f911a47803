import Dispatch
import Glibc
import LatchkeyCore
import LatchkeyModel
import Testing

@testable import LatchkeyLinux

@Suite struct `Requests to the listener of a login` {
    private func outcome(_ head: String, to host: String = "127.0.0.1:4321") -> LoopbackRequest.Outcome {
        var request = LoopbackRequest()
        return request.add(Array(head.utf8), to: host)
    }

    @Test func `The browser's request has the URL to which it was led`() {
        let head = "GET /callback?code=1 HTTP/1.1\r\nHost: 127.0.0.1:4321\r\nAccept: */*\r\n\r\n"
        #expect(outcome(head) == .get("http://127.0.0.1:4321/callback?code=1"))
    }

    @Test func `A request may arrive byte by byte`() {
        let head = Array("GET /callback HTTP/1.1\r\nhost:127.0.0.1:4321\r\n\r\n".utf8)
        var request = LoopbackRequest()
        let host = "127.0.0.1:4321"
        for byte in head.dropLast() { #expect(request.add([byte], to: host) == .incomplete) }
        #expect(request.add(head.suffix(1), to: host) == .get("http://127.0.0.1:4321/callback"))
    }

    @Test func `The host of a listener on IPv6 is another one than that on IPv4`() {
        let head = "GET /callback HTTP/1.1\r\nHost: [::1]:4321\r\n\r\n"
        #expect(outcome(head, to: "[::1]:4321") == .get("http://[::1]:4321/callback"))
        #expect(outcome(head) == .other)
    }

    /// Requests of other programs and of web pages, also through a host name that they have rebound.
    @Test(arguments: [
        "POST /callback HTTP/1.1\r\nHost: 127.0.0.1:4321\r\n\r\n",
        "HEAD /callback HTTP/1.1\r\nHost: 127.0.0.1:4321\r\n\r\n",
        "GET http://127.0.0.1:4321/callback HTTP/1.1\r\nHost: 127.0.0.1:4321\r\n\r\n",
        "GET /callback HTTP/1.1\r\n\r\n", "GET /callback HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "GET /callback HTTP/1.1\r\nHost: localhost:4321\r\n\r\n",
        "GET /callback HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET /callback HTTP/1.1\r\nHost: 127.0.0.1:4322\r\n\r\n",
        "GET /callback HTTP/1.1\r\nHost: 127.0.0.1:4321\r\nHost: 127.0.0.1:4321\r\n\r\n",
        "GET /callback x HTTP/1.1\r\nHost: 127.0.0.1:4321\r\n\r\n", "GET /callback\r\n\r\n",
        "GET /callback HTTP/2.0\r\nHost: 127.0.0.1:4321\r\n\r\n", "\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n",
    ])
    func `Other requests are refused`(head: String) {
        #expect(outcome(head) == .other)
    }

    @Test func `A head that doesn't end is refused`() {
        #expect(outcome("GET /" + String(repeating: "a", count: LoopbackRequest.headLimit)) == .other)
        #expect(outcome(String(repeating: "a", count: LoopbackRequest.headLimit)) == .incomplete)
    }
}

/// An address of a network interface.
private enum InterfaceAddress: CustomStringConvertible {
    case ipv4(sockaddr_in)
    case ipv6(sockaddr_in6)

    /// Returns the address that a listener is bound to.
    static func loopback(_ host: LoopbackHost) -> InterfaceAddress {
        switch host {
        case .ipv4: ipv4("127.0.0.1")
        case .ipv6:
            .ipv6(
                sockaddr_in6(
                    sin6_family: sa_family_t(AF_INET6),
                    sin6_port: 0,
                    sin6_flowinfo: 0,
                    sin6_addr: in6addr_loopback,
                    sin6_scope_id: 0
                )
            )
        }
    }

    static func ipv4(_ text: String) -> InterfaceAddress {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr(text)
        return .ipv4(address)
    }

    /// The addresses of the interfaces of this machine that are up.
    static var all: [InterfaceAddress] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [InterfaceAddress] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr, entry.ifa_flags & UInt32(IFF_UP) != 0 else {
                continue
            }
            switch Int32(address.pointee.sa_family) {
            case AF_INET:
                address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    found.append(.ipv4($0.pointee))
                }
            case AF_INET6:
                address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    found.append(.ipv6($0.pointee))
                }
            default: continue
            }
        }
        return found
    }

    var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        switch self {
        case .ipv4(var address): inet_ntop(AF_INET, &address.sin_addr, &text, socklen_t(text.count))
        case .ipv6(var address): inet_ntop(AF_INET6, &address.sin6_addr, &text, socklen_t(text.count))
        }
        return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }
}

/// A connection of a program on this device.
private final class Connection: Sendable {
    private let descriptor: Int32
    /// Whether the port is open.
    let isConnected: Bool

    convenience init(to host: LoopbackHost = .ipv4, port: UInt16) {
        self.init(to: .loopback(host), port: port)
    }

    init(to address: InterfaceAddress, port: UInt16) {
        switch address {
        case .ipv4(var address):
            address.sin_port = port.bigEndian
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            isConnected = Self.connect(descriptor, &address)
        case .ipv6(var address):
            address.sin6_port = port.bigEndian
            descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
            isConnected = Self.connect(descriptor, &address)
        }
    }

    private static func connect<Address>(_ descriptor: Int32, _ address: inout Address) -> Bool {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// The response, or an empty text if the connection was closed without one.
    func response() async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [descriptor] in
                var all: [UInt8] = []
                var chunk = [UInt8](repeating: 0, count: 4096)
                while case let count = recv(descriptor, &chunk, chunk.count, 0), count > 0 {
                    all += chunk[..<count]
                }
                continuation.resume(returning: String(decoding: all, as: UTF8.self))
            }
        }
    }
}

@Suite struct `Listeners for the end of a login` {
    private func request(_ target: String, to listener: LoopbackListener) -> String {
        "GET \(target) HTTP/1.1\r\nHost: \(listener.authority)\r\n\r\n"
    }

    @Test func `One matching request ends the wait, and others are answered with 404`() async throws {
        let listener = try #require(LoopbackListener())
        async let url = listener.url(answering: "<p>Done</p>") { $0.hasSuffix("?state=right") }
        for target in ["/", "/callback?state=wrong", "/favicon.ico"] {
            let other = Connection(port: listener.port)
            other.send(request(target, to: listener))
            #expect(await other.response().hasPrefix("HTTP/1.1 404 "))
        }
        let browser = Connection(port: listener.port)
        browser.send(request("/callback?state=right", to: listener))
        let response = await browser.response()
        #expect(response.hasPrefix("HTTP/1.1 200 ") && response.hasSuffix("<p>Done</p>"))
        #expect(await url == .url("http://127.0.0.1:\(listener.port)/callback?state=right"))
    }

    @Test func `A listener closes its port after the redirect`() async throws {
        let isClosed = try await isClosed { listener in
            async let url = listener.url(answering: "") { _ in true }
            let browser = Connection(port: listener.port)
            browser.send(request("/callback", to: listener))
            #expect(await browser.response().hasPrefix("HTTP/1.1 200 "))
            #expect(await url == .url("http://127.0.0.1:\(listener.port)/callback"))
        }
        #expect(isClosed)
    }

    @Test(.enabled("IPv6 is off") { LoopbackListener(host: .ipv6) != nil })
    func `A listener on IPv6 can't be reached on IPv4`() async throws {
        let listener = try #require(LoopbackListener(host: .ipv6))
        async let url = listener.url(answering: "") { _ in true }
        #expect(!Connection(to: .ipv4, port: listener.port).isConnected)
        let browser = Connection(to: .ipv6, port: listener.port)
        browser.send(request("/callback", to: listener))
        #expect(await browser.response().hasPrefix("HTTP/1.1 200 "))
        #expect(await url == .url("http://[::1]:\(listener.port)/callback"))
    }

    @Test(arguments: [LoopbackHost.ipv4, .ipv6])
    func `A listener can be reached at its own address only`(host: LoopbackHost) async throws {
        guard let listener = LoopbackListener(host: host) else { return }
        let own = InterfaceAddress.loopback(host)
        // On Linux, all addresses in 127.0.0.0/8 lead to the loopback interface.
        let others = (InterfaceAddress.all + [.ipv4("127.0.0.2")]).filter { "\($0)" != "\(own)" }
        #expect(Connection(to: own, port: listener.port).isConnected)
        for other in others {
            #expect(!Connection(to: other, port: listener.port).isConnected, "\(other)")
        }
    }

    @Test func `Idle connections don't keep the browser out`() async throws {
        let listener = try #require(LoopbackListener())
        async let url = listener.url(answering: "") { _ in true }
        let idle = (0..<(2 * LoopbackListener.connectionLimit)).map { _ in Connection(port: listener.port) }
        for connection in idle { connection.send("GET /") }
        let browser = Connection(port: listener.port)
        browser.send(request("/callback", to: listener))
        #expect(await browser.response().hasPrefix("HTTP/1.1 200 "))
        #expect(await url == .url("http://127.0.0.1:\(listener.port)/callback"))
        withExtendedLifetime(idle) {}
    }

    @Test func `A wait can be ended before and while it lasts`() async throws {
        let isClosed = try await isClosed { listener in
            let wait = Task { await listener.url(answering: "") { _ in true } }
            wait.cancel()
            #expect(await wait.value == .stopped)
            #expect(await listener.url(answering: "") { _ in true } == .stopped)
        }
        #expect(isClosed)
    }

    @Test func `A listener closes its port when it is stopped before the wait`() async throws {
        let isClosed = try await isClosed { listener in
            #expect(Connection(port: listener.port).isConnected)
            listener.stop()
        }
        #expect(isClosed)
    }

    @Test func `A wait ends when the time is up, even if other programs keep connecting`() async throws {
        let isClosed = try await isClosed(patience: .milliseconds(50)) { listener in
            let idle = Connection(port: listener.port)
            #expect(await listener.url(answering: "") { _ in true } == .expired)
            withExtendedLifetime(idle) {}
        }
        #expect(isClosed)
    }

    /// Returns whether the port of a listener is closed after the listener has ended.
    ///
    /// Another program can get the port at the same moment, so up to three listeners are tried.
    private func isClosed(
        patience: Duration = .seconds(600),
        afterEnd end: (LoopbackListener) async throws -> Void
    ) async throws -> Bool {
        for _ in 1...3 {
            let listener = try #require(LoopbackListener(patience: patience))
            try await end(listener)
            if !Connection(port: listener.port).isConnected { return true }
        }
        return false
    }
}

@Suite struct `Logins with a browser and a listener` {
    private static let address = "https://id.example.com/oauth2/auth?client_id=shop"

    @Test(arguments: [LoopbackHost.ipv4, .ipv6])
    func `The opened page leads to the port of the redirect URI`(_ host: LoopbackHost) async throws {
        guard LoopbackListener(host: host) != nil else { return }
        let opened = Locked<[BrowserPage]>([])
        let browser = LoopbackBrowser(host: host, path: "/done", patience: .milliseconds(10)) { page in
            opened.withLock { $0.append(page) }
        }
        let visit = try await browser.prepare()
        await #expect { try await visit.open(Self.address) { _ in true } } throws: { error in
            (error as? LatchkeyError)?.code == .flowExpired
        }
        let page = try #require(opened.withLock { $0.first })
        #expect(page.address == Self.address)
        let port = try #require(page.returnPort)
        #expect(visit.redirectURI == "http://\(host.rawValue):\(port)/done")
    }

    /// Opens sockets on a machine that lacks some addresses.
    private final class Machine: Sendable {
        private let failures: [LoopbackHost: Int32]
        private let hosts = Locked<[LoopbackHost]>([])

        init(failures: [LoopbackHost: Int32] = [:]) {
            self.failures = failures
        }

        /// The hosts that a listener has tried.
        var tried: [LoopbackHost] { hosts.withLock { $0 } }

        func browser(
            host: LoopbackHost? = nil,
            opening: @escaping @Sendable (BrowserPage) async throws(LatchkeyError) -> Void = { _ in }
        ) -> LoopbackBrowser {
            var browser = LoopbackBrowser(host: host, opening: opening)
            browser.opener = { [self] host throws(LoopbackHost.ListenFailure) in
                hosts.withLock { $0.append(host) }
                if let code = failures[host] { throw LoopbackHost.ListenFailure(code: code) }
                return try host.listen()
            }
            return browser
        }
    }

    @Test func `A login uses IPv4, or IPv6 on a machine without IPv4`() async throws {
        let host = LoopbackListener(host: .ipv4) == nil ? LoopbackHost.ipv6 : .ipv4
        let machine = Machine()

        let visit = try await machine.browser().prepare()

        #expect(visit.redirectURI.hasPrefix("http://\(host.rawValue):"))
        #expect(machine.tried.last == host)
        visit.end()
    }

    @Test(
        .enabled("IPv6 is off") { LoopbackListener(host: .ipv6) != nil },
        arguments: [EAFNOSUPPORT, EPROTONOSUPPORT, EADDRNOTAVAIL]
    )
    func `Without an IPv4 address, the browser returns to IPv6`(code: Int32) async throws {
        let machine = Machine(failures: [.ipv4: code])
        let connection = Locked<Connection?>(nil)
        let browser = machine.browser { page in
            guard let port = page.returnPort, let authority = page.returnAuthority else { return }
            let opened = Connection(to: .ipv6, port: port)
            opened.send("GET /callback?code=1 HTTP/1.1\r\nHost: \(authority)\r\n\r\n")
            connection.withLock { $0 = opened }
        }
        let visit = try await browser.prepare()

        let url = try await visit.open(Self.address) { _ in true }

        #expect(visit.redirectURI.hasPrefix("http://[::1]:") && visit.redirectURI.hasSuffix("/callback"))
        #expect(url == visit.redirectURI + "?code=1")
        #expect(machine.tried == [.ipv4, .ipv6])
    }

    @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRINUSE, EACCES, EPERM])
    func `A machine with IPv4 but without a free port or socket isn't asked for IPv6`(code: Int32)
        async throws
    {
        let machine = Machine(failures: [.ipv4: code])
        await #expect { try await machine.browser().prepare() } throws: { error in
            (error as? LatchkeyError)?.code == .refused
        }
        #expect(machine.tried == [.ipv4])
    }

    @Test(arguments: [LoopbackHost.ipv4, .ipv6])
    func `A host that the app has chosen isn't replaced`(host: LoopbackHost) async throws {
        let machine = Machine(failures: [host: EADDRNOTAVAIL])
        await #expect { try await machine.browser(host: host).prepare() } throws: { error in
            let error = error as? LatchkeyError
            return error?.code == .refused && error?.message.contains("at \(host.rawValue) ") == true
        }
        #expect(machine.tried == [host])
    }

    @Test func `Without a loopback address, a login is refused`() async throws {
        let machine = Machine(failures: [.ipv4: EAFNOSUPPORT, .ipv6: EADDRNOTAVAIL])
        await #expect { try await machine.browser().prepare() } throws: { error in
            (error as? LatchkeyError)?.code == .refused
        }
        #expect(machine.tried == [.ipv4, .ipv6])
    }

    @Test func `An address that isn't a web page's is not opened`() async throws {
        let browser = LoopbackBrowser { _ in Issue.record("The address was opened.") }
        let visit = try await browser.prepare()
        await #expect { try await visit.open("file:///etc/passwd") { _ in true } } throws: { error in
            (error as? LatchkeyError)?.code == .invalidInput
        }
        visit.end()
    }
}
