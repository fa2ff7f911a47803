import Glibc

/// The host of a redirect URI on the loopback interface (RFC 8252, section 7.3).
///
/// `localhost` isn't one of them, because its name may be resolved to another address (section 8.3).
public enum LoopbackHost: String, Sendable {
    /// The host of `http://127.0.0.1/callback`.
    case ipv4 = "127.0.0.1"
    /// The host of `http://[::1]/callback`.
    case ipv6 = "[::1]"

    /// Begins to listen on a free port of this address.
    ///
    /// - Returns: The socket and its port, or `nil` if there is none.
    func listen() -> (descriptor: Int32, port: UInt16)? {
        switch self {
        case .ipv4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            return Self.listen(AF_INET, at: &address).map { ($0, UInt16(bigEndian: address.sin_port)) }
        case .ipv6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_addr = in6addr_loopback
            return Self.listen(AF_INET6, at: &address).map { ($0, UInt16(bigEndian: address.sin6_port)) }
        }
    }

    private static func listen<Address>(_ family: Int32, at address: inout Address) -> Int32? {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { return nil }
        var size = socklen_t(MemoryLayout<Address>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                bind(descriptor, name, size) == 0 && Glibc.listen(descriptor, 64) == 0
                    && getsockname(descriptor, name, &size) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
