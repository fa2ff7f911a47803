import LatchkeyWire

/// The addresses in a forwarding header field, from the last proxy to the first.
///
/// The field is read from the right end, which was written by the proxy that is connected to the server.
/// Elements are parsed only on demand, so text further left, which a client may have sent, cannot change how
/// an element is parsed: an unterminated quotation mark does not affect the elements to its right.
struct ForwardedAddresses: Sequence, IteratorProtocol {
    /// The maximum number of elements that are read.
    static let limit = 32

    private let field: ProxyHeader
    /// The field lines that have not been read yet, beginning with the line to read last.
    private var lines: [String]
    /// The unread left part of the current line; `nil` once the line is finished.
    private var rest: ArraySlice<UInt8>?
    private var count = 0

    init(_ headers: HTTP.Headers, field: ProxyHeader) {
        self.field = field
        lines = headers.all(field.name)
    }

    /// Returns the next address to the left; `.some(nil)` for an element that is not an address, `nil` at the
    /// end.
    mutating func next() -> String?? {
        if rest == nil { rest = lines.popLast().map { Array($0.utf8)[...] } }
        guard let text = rest else { return nil }
        count += 1
        guard count <= Self.limit else { return .some(nil) }
        let comma = Self.lastComma(in: text, isQuoting: field == .forwarded)
        rest = comma.map { text[..<$0] }
        let element = (comma.map { text[($0 + 1)...] } ?? text).trimmed
        switch field {
        case .xForwardedFor: return .some(ForwardedNode.host(of: element))
        case .forwarded:
            return .some(ForwardedElement(element)?.client.flatMap { ForwardedNode.host(of: $0) })
        }
    }

    /// Returns the index of the last comma outside quotation marks.
    ///
    /// A quotation mark after an odd number of backslashes is escaped. Backslashes occur only within
    /// quotation marks, so parsing from the right finds the same strings as parsing from the left.
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
    /// The bytes without the white space at either end.
    fileprivate var trimmed: ArraySlice<UInt8> {
        var text = drop { $0 == 0x20 || $0 == 0x09 }
        while text.last == 0x20 || text.last == 0x09 { text.removeLast() }
        return text
    }
}
