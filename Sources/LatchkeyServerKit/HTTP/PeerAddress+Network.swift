#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension PeerAddress {
    /// The network that the address belongs to.
    ///
    /// Rate limits treat all requests from the same network as one client.
    ///
    /// For IPv4, this is the whole address. For IPv6, the network consists of the first 64 bits, because
    /// providers usually assign a whole /64 to each subscriber. If the host isn't an IP address, the network
    /// is the host name in UTF-8.
    package var network: [UInt8] {
        if let four = ipv4 { return four }
        guard let six = ipv6 else { return Array(host.utf8) }
        return Array(six.prefix(8))
    }

    /// Whether this is an IPv6 address other than an IPv4-mapped one.
    package var isIPv6: Bool { ipv4 == nil && ipv6 != nil }

    private var ipv4: [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, host, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        guard let six = ipv6, six.starts(with: mapped) else { return nil }
        return Array(six.suffix(4))
    }

    private var ipv6: [UInt8]? {
        var six = in6_addr()
        let address = host.prefix { $0 != "%" }
        guard inet_pton(AF_INET6, String(address), &six) == 1 else { return nil }
        return withUnsafeBytes(of: six) { Array($0) }
    }
}
