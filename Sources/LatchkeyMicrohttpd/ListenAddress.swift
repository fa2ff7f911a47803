import Glibc

/// An address and a port that a server can listen on.
package struct ListenAddress: Sendable {
    /// The address as the operator has written it.
    private let host: String
    private let port: Int
    /// The resolved address: a `sockaddr_in` or a `sockaddr_in6`.
    private let resolved: [UInt8]
    private let family: Int32

    /// Resolves an address, which can block while a name is looked up.
    ///
    /// If a name has several addresses, only the first one is used, as when a server listens.
    ///
    /// - Throws: ``HTTPServerError/addressUnknown(_:)`` if the address is invalid or can't be resolved.
    package init(_ host: String, port: Int) throws(HTTPServerError) {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0, let first = list?.pointee,
            let address = first.ai_addr
        else { throw .addressUnknown(host) }
        defer { freeaddrinfo(list) }
        self.host = host
        self.port = port
        family = first.ai_family
        resolved = Array(UnsafeRawBufferPointer(start: address, count: Int(first.ai_addrlen)))
    }

    /// Checks that this process may listen on the address, without listening.
    ///
    /// A port that is already in use isn't an error, because a running server may be using it until it is
    /// restarted.
    ///
    /// - Throws: ``HTTPServerError/cannotListen(address:port:reason:)`` if the machine doesn't have the
    ///   address, or if the process isn't allowed to use the port.
    package func check() throws(HTTPServerError) {
        let probe = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { if probe >= 0 { close(probe) } }
        let isBound = probe >= 0 && withAddress { bind(probe, $0, socklen_t(resolved.count)) == 0 }
        guard isBound || errno == EADDRINUSE else {
            throw .cannotListen(address: host, port: port, reason: String(cString: strerror(errno)))
        }
    }

    /// Returns whether two servers with these addresses would get in each other's way.
    ///
    /// That is the case if they have the same port, and either the same address or one that includes all
    /// addresses of the machine. Two servers with port 0 get different ports.
    package func overlaps(_ other: ListenAddress) -> Bool {
        guard port != 0, port == other.port else { return false }
        if isEveryAddress(of: other.family) || other.isEveryAddress(of: family) { return true }
        return family == other.family && bytes == other.bytes
    }

    /// The bytes of the IP address.
    private var bytes: ArraySlice<UInt8> {
        family == AF_INET6 ? resolved[8..<24] : resolved[4..<8]
    }

    /// Whether the address stands for all addresses of a family.
    ///
    /// A socket for all IPv6 addresses also accepts IPv4 connections.
    private func isEveryAddress(of other: Int32) -> Bool {
        (family == other || family == AF_INET6) && bytes.allSatisfy { $0 == 0 }
    }

    private func withAddress<Outcome>(_ body: (UnsafePointer<sockaddr>) -> Outcome) -> Outcome {
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: resolved) }
        return withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }
}
