/// A signature on P-256 in its two forms: the DER of X.509 and the plain one of JOSE.
struct ECDSASignature {
    /// The most bytes that the form of X.509 takes.
    static let derLimit = 72

    /// r and s, 32 bytes each, most significant first.
    let raw: [UInt8]

    /// Takes r and s; nothing from another number of bytes.
    init?(raw: [UInt8]) {
        guard raw.count == 64 else { return nil }
        self.raw = raw
    }

    /// Reads `SEQUENCE { INTEGER r, INTEGER s }`; nothing when it is not in its shortest form.
    init?(der: [UInt8]) {
        var rest = der[...]
        guard
            rest.popFirst() == 0x30, let length = rest.popFirst(), length < 0x80, Int(length) == rest.count,
            let r = Self.takeInteger(&rest), let s = Self.takeInteger(&rest), rest.isEmpty
        else { return nil }
        raw = r + s
    }

    /// `SEQUENCE { INTEGER r, INTEGER s }`.
    var der: [UInt8] {
        let body = Self.integer(raw.prefix(32)) + Self.integer(raw.suffix(32))
        return [0x30, UInt8(body.count)] + body
    }

    private static func integer(_ number: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(number.drop { $0 == 0 })
        // A leading bit would make it negative, and nothing at all is no number.
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }

    private static func takeInteger(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard
            rest.popFirst() == 0x02, let length = rest.popFirst(),
            (1...33).contains(length), rest.count >= length
        else { return nil }
        let encoded = rest.prefix(Int(length))
        rest = rest.dropFirst(Int(length))
        let digits = Array(encoded.drop { $0 == 0 })
        guard digits.count <= 32, encoded.elementsEqual(integer(digits[...]).dropFirst(2)) else { return nil }
        return [UInt8](repeating: 0, count: 32 - digits.count) + digits
    }
}
