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
        var raw: [UInt8] = []
        raw.reserveCapacity(64)
        for digits in [r, s] {
            raw.append(contentsOf: repeatElement(0, count: 32 - digits.count))
            raw.append(contentsOf: digits)
        }
        self.raw = raw
    }

    /// `SEQUENCE { INTEGER r, INTEGER s }`.
    var der: [UInt8] {
        var der: [UInt8] = []
        der.reserveCapacity(Self.derLimit)
        der.append(0x30)
        der.append(0)
        for number in [raw[..<32], raw[32...]] {
            let digits = number.drop { $0 == 0 }
            // A leading bit would make it negative, and nothing at all is no number.
            let isPadded = digits.first.map { $0 >= 0x80 } ?? true
            der.append(0x02)
            der.append(UInt8(digits.count + (isPadded ? 1 : 0)))
            if isPadded { der.append(0) }
            der.append(contentsOf: digits)
        }
        der[1] = UInt8(der.count - 2)
        return der
    }

    /// Takes the digits of an integer that is not negative and in its shortest form.
    private static func takeInteger(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard
            rest.popFirst() == 0x02, let length = rest.popFirst(),
            (1...33).contains(length), rest.count >= length
        else { return nil }
        let encoded = rest.prefix(Int(length))
        rest = rest.dropFirst(Int(length))
        let isPadded = encoded.first == 0
        let digits = isPadded ? encoded.dropFirst() : encoded
        // Padded only where the leading bit needs it, or where there is no other digit.
        guard digits.count <= 32, digits.first.map({ $0 >= 0x80 }) ?? true == isPadded else { return nil }
        return digits
    }
}
