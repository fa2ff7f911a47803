import LatchkeyModel

/// A single PEM block (RFC 7468).
struct PEM {
    /// The label of the block, such as `CERTIFICATE`.
    let label: String

    /// The decoded contents of the block.
    let der: [UInt8]

    init(label: String, der: [UInt8]) {
        self.label = label
        self.der = der
    }

    /// Parses a string that consists of exactly one block with the given label.
    ///
    /// The block may only be followed by white space.
    ///
    /// The `limit` is the maximum length of the text in bytes.
    init(_ text: String, label: String, limit: Int) throws(CryptoError) {
        guard text.utf8.count <= limit else {
            throw CryptoError(.malformed, "The text is longer than \(limit) bytes.")
        }
        var lines = text.utf8.split(omittingEmptySubsequences: false) { $0 == 0x0A }
            .map { $0.last == 0x0D ? $0.dropLast() : $0 }
        while let last = lines.last, last.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { lines.removeLast() }
        guard
            lines.count >= 3,
            lines.removeFirst().elementsEqual("-----BEGIN \(label)-----".utf8),
            lines.removeLast().elementsEqual("-----END \(label)-----".utf8)
        else { throw CryptoError(.malformed, "The text is not a single PEM block with the label \(label).") }
        guard let der = Self.decode(lines.joined()), !der.isEmpty else {
            throw CryptoError(.malformed, "The PEM block is not base64.")
        }
        self.init(label: label, der: der)
    }

    /// The encoded block with lines of 64 characters.
    var text: String {
        var body = Base64URL.encode(der).utf8.map(Self.standardAlphabet)
        while body.count % 4 != 0 { body.append(UInt8(ascii: "=")) }
        var text = "-----BEGIN \(label)-----\n"
        for start in stride(from: 0, to: body.count, by: 64) {
            text += String(decoding: body[start..<min(start + 64, body.count)], as: UTF8.self) + "\n"
        }
        return text + "-----END \(label)-----\n"
    }

    private static func decode(_ base64: some Sequence<UInt8>) -> [UInt8]? {
        var characters = Array(base64)
        guard characters.count % 4 == 0 else { return nil }
        for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
        guard !characters.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }) else {
            return nil
        }
        return Base64URL.decode(String(decoding: characters.map(urlAlphabet), as: UTF8.self))
    }

    private static func standardAlphabet(_ character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "-"): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: character
        }
    }

    private static func urlAlphabet(_ character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: character
        }
    }
}
