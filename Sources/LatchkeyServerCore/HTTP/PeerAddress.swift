/// The network address at the other end of a connection.
package struct PeerAddress: Hashable, Sendable {
    /// An IPv4 or IPv6 address in its usual text, without the port.
    package let host: String

    /// The port; 0 where there is none.
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// The address of callers in the same process.
    package static let inProcess = PeerAddress(host: "127.0.0.1", port: 0)
}
