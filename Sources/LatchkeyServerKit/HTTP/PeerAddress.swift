/// The network address of a client.
package struct PeerAddress: Hashable, Sendable {
    /// The IPv4 or IPv6 address in text form, without the port.
    package let host: String

    /// The port; 0 if there is none.
    package let port: Int

    /// Creates an address without validating the text.
    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// The address of callers in the same process.
    package static let inProcess = PeerAddress(host: "127.0.0.1", port: 0)
}
