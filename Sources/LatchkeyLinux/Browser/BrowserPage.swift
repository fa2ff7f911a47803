public import LatchkeyCore
import LatchkeyWire

/// A page to open in a browser.
///
/// The address has only characters that are allowed in URLs and begins with `https://`, or with `http://` and the name
/// of this machine. It can't be mistaken for a program's option, and opens only a web page.
public struct BrowserPage: Hashable, Sendable {
    /// The address of the page.
    public let address: String

    /// The port on this machine to which the page leads the browser back, or `nil` if it leads to the app in another
    /// way.
    public let returnPort: UInt16?

    /// The address of the return port as it appears in URLs, such as `127.0.0.1:49152`.
    let returnAuthority: String?

    /// Creates a page.
    ///
    /// - Parameter address: The address of the page.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `invalidInput` if the address isn't a web page's.
    public init(_ address: String) throws(LatchkeyError) {
        try self.init(address, host: nil, port: nil)
    }

    /// Creates a page that leads to a listener.
    init(_ address: String, returningTo listener: LoopbackListener) throws(LatchkeyError) {
        try self.init(address, host: listener.host, port: listener.port)
    }

    private init(_ address: String, host: LoopbackHost?, port: UInt16?) throws(LatchkeyError) {
        do throws(WebAddressError) {
            guard try WebAddress(parsing: address).isConfidential else {
                throw .notConfidential
            }
        } catch {
            throw LatchkeyError(error, about: "The address of the page")
        }
        self.address = address
        returnPort = port
        returnAuthority = host.flatMap { host in port.map { "\(host.rawValue):\($0)" } }
    }
}
