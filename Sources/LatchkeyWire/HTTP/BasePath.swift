/// The path prefix of an API's routes, such as `/a`, or an empty path if they have no prefix.
package struct BasePath: Hashable, Sendable {
    /// The default path of the self-service API.
    package static let standard = BasePath(checked: Route.defaultBasePath)

    /// The path, which is either empty, or starts with a slash and doesn't end with one.
    package let text: String

    /// Creates a base path from a string.
    ///
    /// Returns `nil` if the path is invalid.
    ///
    /// The base path is appended to an origin, so a path without a leading slash would change the host.
    /// Routes are appended to the base path.
    ///
    /// - Parameter text: A percent-encoded path, which must start with exactly one slash and must not end
    ///   with a slash, contain empty or dot segments, or include a query or fragment.
    package init?(_ text: String) {
        guard text.isEmpty || Self.isPath(text) else { return nil }
        self.text = text
    }

    private init(checked text: String) {
        self.text = text
    }

    /// Returns whether a string is a path that contains no empty segments and no dot segments.
    ///
    /// Percent-encoded dots are also recognized.
    private static func isPath(_ text: String) -> Bool {
        guard text.utf8.allSatisfy(isPathByte) else { return false }
        let segments = text.split(separator: "/", omittingEmptySubsequences: false)
        return segments.count >= 2 && segments[0].isEmpty
            && segments.dropFirst().allSatisfy { segment in
                let decoded = segment.lowercased().replacing("%2e", with: ".")
                return !decoded.isEmpty && decoded != "." && decoded != ".."
            }
    }

    /// Returns whether a byte is allowed in a path (RFC 3986, section 3.3).
    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "("), UInt8(ascii: ")"),
            UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        case UInt8(ascii: "#"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"): false
        default: byte.isTokenByte
        }
    }
}
