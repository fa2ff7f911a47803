/// The decoded items of a query (WHATWG URL, `application/x-www-form-urlencoded`).
package struct QueryItems: Sendable {
    private var items: [(name: String, value: String)] = []

    /// Parses a query; a plus sign is decoded as a space, and an invalid percent escape is left unchanged.
    package init(_ query: String?) {
        guard let query else { return }
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            let halves = pair.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            items.append((Self.decode(halves[0]), halves.count > 1 ? Self.decode(halves[1]) : ""))
        }
    }

    /// The value of the first item with a name; `nil` if there is none.
    package subscript(name: String) -> String? {
        items.first { $0.name.hasSameBytes(as: name) }?.value
    }

    /// All names and values, alternating, in their order.
    package var texts: [String] {
        items.flatMap { [$0.name, $0.value] }
    }

    /// Returns the values of all items with a name, in their order.
    package func values(_ name: String) -> [String] {
        items.filter { $0.name.hasSameBytes(as: name) }.map(\.value)
    }

    /// The names of all items, in their order.
    package var names: [String] { items.map(\.name) }

    /// Percent-encodes a text for use in a query.
    package static func encode(_ text: String) -> String {
        var encoded = [UInt8]()
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: encoded.append(byte)
            default: encoded += [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static let hexadecimal = Array("0123456789ABCDEF".utf8)

    private static func decode(_ text: some Collection<UInt8>) -> String {
        var decoded = [UInt8]()
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "+") {
                decoded.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%"), let value = hexadecimalPair(rest.prefix(2)) {
                decoded.append(value)
                rest.removeFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private static func hexadecimalPair(_ digits: some Collection<UInt8>) -> UInt8? {
        let text = String(decoding: digits, as: UTF8.self)
        guard digits.count == 2, digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-") else {
            return nil
        }
        return UInt8(text, radix: 16)
    }
}
