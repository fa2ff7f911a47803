/// An e-mail address in the form people use: one `@`, something before it, a domain after it.
///
/// The form is a subset of RFC 5321: no quoting, no comments, no address literals.
public struct EmailAddress: Hashable, Sendable {
    /// The address as it was given, without surrounding spaces.
    public let address: String

    /// Reads an address; nothing from a text of another form or of more than 254 bytes.
    ///
    /// - Parameter text: The address; surrounding spaces are removed.
    public init?(_ text: String) {
        let trimmed = text.trimmingSpaces
        let parts = trimmed.split(separator: "@", omittingEmptySubsequences: false)
        guard
            trimmed.utf8.count <= 254, parts.count == 2,
            Self.isLocalPart(parts[0]), Self.isDomain(parts[1])
        else { return nil }
        address = trimmed
    }

    /// The form in which two spellings of one address are the same: lower case.
    public var normalized: String { address.lowercased() }

    private static func isLocalPart(_ part: Substring) -> Bool {
        guard (1...64).contains(part.utf8.count), part.first != ".", part.last != "." else { return false }
        return !part.contains("..")
            && part.unicodeScalars.allSatisfy {
                isVisible($0) && !"()<>[]:;,\\\"".unicodeScalars.contains($0)
            }
    }

    private static func isDomain(_ part: Substring) -> Bool {
        let labels = part.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.unicodeScalars.allSatisfy {
                        isVisible($0)
                            && (!$0.isASCII || $0 == "-" || $0.properties.isAlphabetic
                                || ("0"..."9").contains($0))
                    }
            }
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 0x20 && scalar.value != 0x7F && !(0x80...0x9F).contains(scalar.value)
            && !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
    }
}

extension EmailAddress: CustomStringConvertible {
    /// The address with its local part hidden; ``address`` has it whole.
    public var description: String {
        "…@" + (address.split(separator: "@").last ?? "")
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
