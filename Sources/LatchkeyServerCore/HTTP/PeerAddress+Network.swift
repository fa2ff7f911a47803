#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension PeerAddress {
    /// Who is counted as one: an IPv4 address, or the 64 bits that an IPv6 subscriber gets at the least.
    ///
    /// An IPv6 address beyond that is free for the choosing, 2^64 of them to everybody.
    var network: [UInt8] {
        var four = in_addr()
        if inet_pton(AF_INET, host, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
        var six = in6_addr()
        let address = host.prefix { $0 != "%" }
        guard inet_pton(AF_INET6, String(address), &six) == 1 else { return Array(host.utf8) }
        let bytes = withUnsafeBytes(of: six) { Array($0) }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return bytes.starts(with: mapped) ? Array(bytes.suffix(4)) : Array(bytes.prefix(8))
    }
}
