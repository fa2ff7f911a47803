/// An element of a `Forwarded` header field: parameters separated by `;` (RFC 7239, section 4).
struct ForwardedElement {
    /// The value of the `for` parameter without quotation marks, or `nil` if it is missing.
    private(set) var client: ArraySlice<UInt8>?

    private var rest: ArraySlice<UInt8>

    /// Parses an element.
    ///
    /// The result is `nil` if the element doesn't follow the grammar or contains the same parameter twice.
    ///
    /// White space around semicolons is accepted because some proxies add it.
    init?(_ text: ArraySlice<UInt8>) {
        rest = text
        var names: Set<String> = []
        while true {
            skipBlanks()
            if let name = token() {
                guard names.insert(name.lowercased()).inserted, take("="), let value = value() else {
                    return nil
                }
                if name.lowercased() == "for" { client = value }
                skipBlanks()
            }
            if rest.isEmpty { return }
            guard take(";") else { return nil }
        }
    }

    /// Parses a value, which is either a token or a quoted string.
    private mutating func value() -> ArraySlice<UInt8>? {
        if rest.first == UInt8(ascii: "\"") { return quotedString() }
        let before = rest
        return token() == nil ? nil : before[..<rest.startIndex]
    }

    /// Parses a quoted string and returns its unescaped content.
    private mutating func quotedString() -> ArraySlice<UInt8>? {
        rest.removeFirst()
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                return text[...]
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), Self.isText(escaped) else { return nil }
                text.append(escaped)
            default:
                guard Self.isText(byte) else { return nil }
                text.append(byte)
            }
        }
        return nil
    }

    private mutating func token() -> String? {
        let token = rest.prefix(while: Self.isTokenCharacter)
        rest = rest.dropFirst(token.count)
        return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skipBlanks() {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    }

    private static func isText(_ byte: UInt8) -> Bool {
        byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
