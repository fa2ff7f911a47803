/// The decoded parameters of a query (WHATWG URL, `application/x-www-form-urlencoded`).
package struct QueryItems: Sendable {
    private var items: [FormDecoder.Field] = []

    /// Why the query can't be decoded, or `nil` if all its items were decoded.
    ///
    /// If there is a failure, only the items before it are available.
    package private(set) var failure: FormDecoder.Failure?

    /// Parses a query leniently.
    ///
    /// See ``FormDecoder/Strictness``.
    ///
    /// - Parameter query: The encoded query without the question mark, or `nil` if the request doesn't have
    ///   one.
    package init(_ query: String?) {
        self.init(encoded: query.map { Array($0.utf8) } ?? [])
    }

    /// Parses a query or a form body leniently.
    package init(encoded bytes: [UInt8]) {
        do {
            try FormDecoder(.lenient).decode(bytes, into: &items)
        } catch {
            failure = error
        }
    }

    /// The value of the first parameter with the given name, or `nil` if there is none.
    ///
    /// Names are compared byte by byte.
    package subscript(name: String) -> String? {
        items.first { $0.name.hasSameBytes(as: name) }?.value
    }

    /// All names and values, alternating, in the order in which they occur in the query.
    package var texts: [String] {
        items.flatMap { [$0.name, $0.value] }
    }

    /// Returns the values of all parameters with the given name, in order.
    package func values(_ name: String) -> [String] {
        items.filter { $0.name.hasSameBytes(as: name) }.map(\.value)
    }

    /// The names of all parameters, in order.
    package var names: [String] { items.map(\.name) }

    /// Percent-encodes a string for use in a query.
    ///
    /// Every UTF-8 byte that isn't an unreserved character (RFC 3986, section 2.3) is escaped. Spaces become
    /// `%20`.
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
}
