import LatchkeyWire

/// The addresses in a forwarding header field, starting with the one that the last proxy added.
///
/// Empty elements are skipped (RFC 9110, section 5.6.1.2).
///
/// The field is read from right to left because the rightmost part was written by the proxy that is connected
/// to the server. Elements are parsed one at a time, so text further to the left can't change how an element
/// is parsed. For example, an unterminated quotation mark sent by a client doesn't affect the elements to its
/// right.
struct ForwardedAddresses: Sequence, IteratorProtocol {
    /// The maximum number of elements to read.
    static let limit = 32

    private let field: ProxyHeader
    /// The header field lines that haven't been read yet.
    ///
    /// The lines are read from last to first.
    private var lines: [String]
    /// The part of the current line that hasn't been read yet, or `nil` once the line has been read
    /// completely.
    private var rest: ArraySlice<UInt8>?
    private var count = 0

    init(_ headers: HTTP.Headers, field: ProxyHeader) {
        self.field = field
        lines = headers.all(field.name)
    }

    /// Returns the next address to the left.
    ///
    /// The result is `.some(nil)` if the element isn't an address, or `nil` if there are no more elements.
    mutating func next() -> IPAddress?? {
        while let element = nextElement() {
            count += 1
            guard count <= Self.limit else { return .some(nil) }
            guard !element.isEmpty else { continue }
            switch field {
            case .xForwardedFor: return .some(ForwardedNode.address(in: element))
            case .forwarded:
                return .some(ForwardedElement(element)?.client.flatMap { ForwardedNode.address(in: $0) })
            }
        }
        return nil
    }

    /// Returns the next element to the left, which may be empty, or `nil` if there are no more elements.
    private mutating func nextElement() -> ArraySlice<UInt8>? {
        if rest == nil { rest = lines.popLast().map { Array($0.utf8)[...] } }
        guard let text = rest else { return nil }
        let comma = Self.lastComma(in: text, isQuoting: field == .forwarded)
        rest = comma.map { text[..<$0] }
        return (comma.map { text[($0 + 1)...] } ?? text).trimmed
    }

    /// Returns the index of the last comma that isn't inside quotation marks.
    ///
    /// A quotation mark is escaped if it follows an odd number of backslashes. Backslashes only occur inside
    /// quotation marks, so a scan from the right finds the same strings as a scan from the left.
    private static func lastComma(in text: ArraySlice<UInt8>, isQuoting: Bool) -> Int? {
        var isQuoted = false
        var index = text.endIndex
        while index > text.startIndex {
            index -= 1
            switch text[index] {
            case UInt8(ascii: ",") where !isQuoted:
                return index
            case UInt8(ascii: "\"") where isQuoting:
                let backslashes = text[..<index].reversed().prefix { $0 == UInt8(ascii: "\\") }.count
                if backslashes % 2 == 0 { isQuoted.toggle() }
                index -= backslashes
            default:
                break
            }
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    /// The bytes without leading and trailing white space.
    fileprivate var trimmed: ArraySlice<UInt8> {
        var text = drop { $0 == 0x20 || $0 == 0x09 }
        while text.last == 0x20 || text.last == 0x09 { text.removeLast() }
        return text
    }
}
