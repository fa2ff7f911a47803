import LatchkeyModel
import LatchkeyWire

/// An address of the app to which a provider leads the browser back (RFC 8252, section 7).
package struct RedirectAddress: Hashable, Sendable {
    /// The longest URL that is compared, in bytes.
    package static let byteLimit = 16_384

    /// The address as it is registered, without a query and a fragment.
    package let text: String

    private let parts: Parts

    /// Parses a registered address.
    ///
    /// Returns `nil` if the text isn't a URI with a scheme and only ASCII characters, or if it has a query or a
    /// fragment.
    package init?(_ text: String) {
        guard let parts = Parts(text), parts.query == nil, !text.utf8.contains(UInt8(ascii: "#")) else {
            return nil
        }
        (self.text, self.parts) = (text, parts)
    }

    /// Returns the query of a URL that leads to this address.
    ///
    /// Browsers and desktops may change the case of a scheme and a host, and may add the slash of an empty path.
    /// Everything else must be equal.
    ///
    /// - Parameter url: The URL, which may come from any program.
    /// - Returns: The query, which is empty if there is none, or `nil` if the URL leads elsewhere.
    package func query(of url: String) -> String? {
        guard let other = Parts(url), other.scheme == parts.scheme, other.authority == parts.authority,
            other.path == parts.path
        else { return nil }
        return other.query ?? ""
    }

    /// The parts of a URL that are compared.
    private struct Parts: Hashable, Sendable {
        let scheme: String
        /// The host and port, or `nil` if there is no `//`.
        let authority: String?
        let path: String
        let query: String?

        init?(_ text: String) {
            let bytes = text.utf8
            guard bytes.count <= RedirectAddress.byteLimit, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
                let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon != bytes.startIndex,
                bytes[..<colon].allSatisfy(Self.isInScheme)
            else { return nil }
            scheme = text[..<colon].lowercased()
            let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
            let mark = bytes[..<end].firstIndex(of: UInt8(ascii: "?")) ?? end
            var rest = text[bytes.index(after: colon)..<mark]
            query = mark == end ? nil : String(text[bytes.index(after: mark)..<end])
            if rest.hasPrefix("//") {
                rest = rest.dropFirst(2)
                let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
                authority = rest[..<slash].lowercased()
                rest = rest[slash...]
                path = rest.isEmpty ? "/" : String(rest)
            } else {
                authority = nil
                path = String(rest)
            }
        }

        /// Returns whether a byte can be part of a scheme (RFC 3986, section 3.1).
        private static func isInScheme(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
            default: false
            }
        }
    }
}
