/// The network address of a client.
package struct PeerAddress: Hashable, Sendable {
    /// The IP address.
    package let address: IPAddress

    /// The port, or `nil` if it is unknown, for example because a proxy forwarded only the address.
    package let port: UInt16?

    /// Creates an address.
    package init(_ address: IPAddress, port: UInt16? = nil) {
        self.address = address
        self.port = port
    }

    /// The address used for callers in the same process.
    package static let inProcess = PeerAddress(.loopback)
}

extension PeerAddress: CustomStringConvertible {
    /// The address in the format that Kratos uses: `127.0.0.1:52570` or `[::1]:52570`, or only the address if
    /// the port is unknown.
    package var description: String {
        guard let port else { return address.description }
        return address.isIPv4 ? "\(address):\(port)" : "[\(address)]:\(port)"
    }
}
