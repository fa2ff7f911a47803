import Glibc

/// The host of a redirect URI on the loopback interface (RFC 8252, section 7.3).
///
/// `localhost` isn't one of them, because its name may be resolved to another address (section 8.3).
public enum LoopbackHost: String, Sendable {
    /// The host of `http://127.0.0.1/callback`.
    case ipv4 = "127.0.0.1"
    /// The host of `http://[::1]/callback`.
    case ipv6 = "[::1]"

    /// The system's reason (`errno`) why an address can't be listened on.
    struct ListenFailure: Error {
        let code: Int32

        /// Whether the system lacks the address, which means that no port of it can be free.
        ///
        /// Without an IP version there are no sockets of its family. Without its loopback address they can't be bound.
        var isMissingAddress: Bool { [EAFNOSUPPORT, EPROTONOSUPPORT, EADDRNOTAVAIL].contains(code) }
    }

    /// Begins to listen on a free port of this address.
    ///
    /// - Returns: The socket and its port.
    func listen() throws(ListenFailure) -> (descriptor: Int32, port: UInt16) {
        switch self {
        case .ipv4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            let descriptor = try Self.listen(AF_INET, at: &address)
            return (descriptor, UInt16(bigEndian: address.sin_port))
        case .ipv6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_addr = in6addr_loopback
            let descriptor = try Self.listen(AF_INET6, at: &address)
            return (descriptor, UInt16(bigEndian: address.sin6_port))
        }
    }

    private static func listen<Address>(
        _ family: Int32,
        at address: inout Address
    ) throws(ListenFailure) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw ListenFailure(code: errno) }
        var size = socklen_t(MemoryLayout<Address>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                bind(descriptor, name, size) == 0 && Glibc.listen(descriptor, 64) == 0
                    && getsockname(descriptor, name, &size) == 0
            }
        }
        guard isBound else {
            let failure = ListenFailure(code: errno)
            close(descriptor)
            throw failure
        }
        return descriptor
    }
}
