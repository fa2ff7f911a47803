/// An e-mail address of the common form `local@domain`.
///
/// The form is a subset of RFC 5321: no quoted strings, no comments, no address literals.
public struct EmailAddress: Hashable, Sendable {
    /// The address as given, without surrounding white space.
    public let address: String

    /// Parses an address; returns `nil` if the text is not an address of this form or is longer than 254
    /// bytes.
    ///
    /// - Parameter text: The address; surrounding white space is removed.
    public init?(_ text: String) {
        // Works on scalars, not characters, so that a combining mark after `@` or `.` cannot hide the
        // separator.
        let trimmed = Self.trim(text.unicodeScalars[...])
        let parts = trimmed.split(separator: "@", omittingEmptySubsequences: false)
        guard
            String(trimmed).utf8.count <= 254, parts.count == 2,
            Self.isLocalPart(parts[0]), Self.isDomain(parts[1])
        else { return nil }
        address = String(trimmed)
    }

    /// The address in lower case, for comparing different spellings of the same address.
    public var normalized: String { address.lowercased() }

    private typealias Scalars = Substring.UnicodeScalarView

    private static func trim(_ text: Scalars) -> Scalars {
        var rest = text
        while rest.first?.properties.isWhitespace == true { rest.removeFirst() }
        while rest.last?.properties.isWhitespace == true { rest.removeLast() }
        return rest
    }

    private static func isLocalPart(_ part: Scalars) -> Bool {
        String(part).utf8.count <= 64
            && part.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
                !atom.isEmpty
                    && atom.allSatisfy { isVisible($0) && !"()<>[]:;,\\\"".unicodeScalars.contains($0) }
            }
    }

    private static func isDomain(_ part: Scalars) -> Bool {
        let labels = part.split(separator: ".", omittingEmptySubsequences: false)
        // No top-level domain is a number: a domain that ends with a number is an IP address without its
        // brackets.
        guard labels.count >= 2, let top = labels.last, !top.allSatisfy({ ("0"..."9").contains($0) }) else {
            return false
        }
        return labels.allSatisfy { label in
            (1...63).contains(String(label).utf8.count) && label.first != "-" && label.last != "-"
                && label.allSatisfy {
                    isVisible($0)
                        && (!$0.isASCII || $0 == "-" || $0.properties.isAlphabetic
                            || ("0"..."9").contains($0))
                }
        }
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        // ASCII needs no property lookup, which would be slow.
        if scalar.isASCII { return (0x21...0x7E).contains(scalar.value) }
        return !(0x80...0x9F).contains(scalar.value) && !scalar.properties.isWhitespace
            && !scalar.properties.isDefaultIgnorableCodePoint
    }
}

extension EmailAddress: CustomStringConvertible {
    /// The address with its local part hidden; use ``address`` for the full text.
    public var description: String {
        "…@" + (address.unicodeScalars.split(separator: "@").last.map { String($0) } ?? "")
    }
}
