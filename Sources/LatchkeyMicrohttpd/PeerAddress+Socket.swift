import CMicrohttpdShim
import Glibc
import LatchkeyServerKit

extension PeerAddress {
    /// Creates the address of a socket's peer.
    ///
    /// The result is `nil` if this isn't an IPv4 or IPv6 address.
    init?(_ address: UnsafePointer<sockaddr>?) {
        guard let address else { return nil }
        let (host, port): (IPAddress?, in_port_t)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let four = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
            (host, port) = (withUnsafeBytes(of: four.sin_addr) { IPAddress(bytes: $0) }, four.sin_port)
        case AF_INET6:
            let six = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
            (host, port) = (withUnsafeBytes(of: six.sin6_addr) { IPAddress(bytes: $0) }, six.sin6_port)
        default: return nil
        }
        guard let host else { return nil }
        self.init(host, port: UInt16(bigEndian: port))
    }
}
