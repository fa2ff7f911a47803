/// The network address of a client.
package struct PeerAddress: Hashable, Sendable {
    /// The IPv4 or IPv6 address as text, without the port.
    package let host: String

    /// The port, or 0 if there is none.
    package let port: Int

    /// Creates an address without validating the host.
    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// The address used for callers in the same process.
    package static let inProcess = PeerAddress(host: "127.0.0.1", port: 0)
}
