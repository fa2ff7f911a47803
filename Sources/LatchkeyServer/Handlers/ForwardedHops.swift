import LatchkeyServerCore
package import LatchkeyWire

/// The addresses that proxies wrote into a header field, from the last proxy to the first.
///
/// A field is read from its right end, where the proxy that is connected to the server wrote. Only the elements that are
/// asked for are parsed, so text that a client sent, further left, cannot change how they are read: an open quotation
/// mark in it does not reach the elements on its right.
struct ForwardedHops: Sequence, IteratorProtocol {
    /// How many proxies a request may have passed.
    static let limit = 32

    private let field: ServerConfiguration.ProxyHeader
    private var lines: [String]
    private var rest: ArraySlice<UInt8>?
    private var count = 0

    init(_ headers: HTTPHeaders, field: ServerConfiguration.ProxyHeader) {
        self.field = field
        lines = headers.all(field.name)
    }

    /// The next address to the left: `.some(nil)` where there is none to be read, and `nil` at the end.
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

    /// The last comma outside quotation marks.
    ///
    /// A quotation mark after an odd number of backslashes is escaped. Backslashes occur within quotation marks only, so
    /// counting them from the right finds the same strings as reading from the left.
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

extension ServerConfiguration.ProxyHeader: Loggable {
    /// The name of the field.
    package var logged: JSONValue { .string(name) }

    /// The name of the field.
    var name: String {
        switch self {
        case .xForwardedFor: "X-Forwarded-For"
        case .forwarded: "Forwarded"
        }
    }
}

extension ArraySlice<UInt8> {
    /// The bytes without the blanks around them.
    fileprivate var trimmed: ArraySlice<UInt8> {
        var text = drop { $0 == 0x20 || $0 == 0x09 }
        while text.last == 0x20 || text.last == 0x09 { text.removeLast() }
        return text
    }
}
