package import LatchkeyServerKit

extension PeerAddress {
    /// Creates the address of a simulated client.
    ///
    /// The host must be an IP address.
    package init(host: String, port: UInt16? = nil) {
        // Only tests call this, with addresses that they write themselves.
        guard let address = IPAddress(host) else { preconditionFailure("\(host) is not an IP address.") }
        self.init(address, port: port)
    }
}
