/// An e-mail address in the common form `local@domain`.
///
/// This is a subset of what RFC 5321 allows: quoted strings, comments and address literals are not supported.
public struct EmailAddress: Hashable, Sendable {
    /// The address as it was given, with surrounding white space removed.
    public let address: String

    /// Parses an address.
    ///
    /// Returns `nil` if the text doesn't have the supported form or is longer than 254 bytes.
    ///
    /// - Parameter text: The address to parse. Surrounding white space is ignored.
    public init?(_ text: String) {
        // We look at scalars rather than characters because a combining mark after `@` or `.` would otherwise
        // hide the separator. They are copied to an array, which is much faster to split than a string.
        let scalars = Array(text.unicodeScalars)
        let trimmed = Self.trim(scalars[...])
        let parts = trimmed.split(separator: "@", omittingEmptySubsequences: false)
        guard
            Self.byteCount(trimmed) <= 254, parts.count == 2,
            Self.isLocalPart(parts[0]), Self.isDomain(parts[1])
        else { return nil }
        address = trimmed.count == scalars.count ? text : Self.text(of: trimmed)
    }

    /// The address in lower case.
    ///
    /// Use this to check whether two spellings refer to the same address.
    public var normalized: String { address.lowercased() }

    private typealias Scalars = ArraySlice<Unicode.Scalar>

    private static func trim(_ text: Scalars) -> Scalars {
        var rest = text
        while rest.first?.properties.isWhitespace == true { rest.removeFirst() }
        while rest.last?.properties.isWhitespace == true { rest.removeLast() }
        return rest
    }

    private static func text(of scalars: Scalars) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    private static func byteCount(_ scalars: Scalars) -> Int {
        scalars.reduce(0) { $0 + UTF8.width($1) }
    }

    private static func isLocalPart(_ part: Scalars) -> Bool {
        byteCount(part) <= 64
            && part.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
                !atom.isEmpty && atom.allSatisfy { isVisible($0) && !isSpecial($0) }
            }
    }

    /// Returns whether a character must be quoted in a local part ("specials" of RFC 5322).
    private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "(", ")", "<", ">", "[", "]", ":", ";", ",", "\\", "\"": true
        default: false
        }
    }

    private static func isDomain(_ part: Scalars) -> Bool {
        let labels = part.split(separator: ".", omittingEmptySubsequences: false)
        // There are no numeric top-level domains. A domain that ends with a number is an IP address without
        // brackets.
        guard labels.count >= 2, let top = labels.last, !top.allSatisfy({ ("0"..."9").contains($0) }) else {
            return false
        }
        return labels.allSatisfy { label in
            (1...63).contains(byteCount(label)) && label.first != "-" && label.last != "-"
                && label.allSatisfy {
                    isVisible($0)
                        && (!$0.isASCII || $0 == "-" || $0.properties.isAlphabetic
                            || ("0"..."9").contains($0))
                }
        }
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        // Looking up Unicode properties is slow, so handle ASCII first.
        if scalar.isASCII { return (0x21...0x7E).contains(scalar.value) }
        return !(0x80...0x9F).contains(scalar.value) && !scalar.properties.isWhitespace
            && !scalar.properties.isDefaultIgnorableCodePoint
    }
}

extension EmailAddress: CustomStringConvertible, CustomReflectable {
    /// The masked address, which shows only the domain.
    ///
    /// Use ``address`` to get the full address.
    public var description: String {
        "…@" + (address.unicodeScalars.split(separator: "@").last.map { String($0) } ?? "")
    }

    /// A mirror without children, so that `dump` doesn't print the address.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
