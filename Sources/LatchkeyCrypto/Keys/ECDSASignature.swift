/// A P-256 signature that can be converted between the DER form used by X.509 and the raw form used by JOSE.
struct ECDSASignature {
    /// The maximum length of the DER form in bytes.
    static let derLimit = 72

    /// The numbers r and s as 32 bytes each in big-endian order.
    let raw: [UInt8]

    /// Creates a signature from r and s.
    ///
    /// Returns `nil` unless `raw` contains exactly 64 bytes.
    init?(raw: [UInt8]) {
        guard raw.count == 64 else { return nil }
        self.raw = raw
    }

    /// Parses `SEQUENCE { INTEGER r, INTEGER s }`.
    ///
    /// Returns `nil` unless the signature is encoded in the shortest form.
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

    /// The DER form, `SEQUENCE { INTEGER r, INTEGER s }`.
    var der: [UInt8] {
        var der: [UInt8] = []
        der.reserveCapacity(Self.derLimit)
        der.append(0x30)
        der.append(0)
        for number in [raw[..<32], raw[32...]] {
            let digits = number.drop { $0 == 0 }
            // We need padding if the leading bit would make the integer negative or if there are no digits.
            let isPadded = digits.first.map { $0 >= 0x80 } ?? true
            der.append(0x02)
            der.append(UInt8(digits.count + (isPadded ? 1 : 0)))
            if isPadded { der.append(0) }
            der.append(contentsOf: digits)
        }
        der[1] = UInt8(der.count - 2)
        return der
    }

    /// Consumes a non-negative integer in its shortest form and returns its bytes without padding.
    private static func takeInteger(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard
            rest.popFirst() == 0x02, let length = rest.popFirst(),
            (1...33).contains(length), rest.count >= length
        else { return nil }
        let encoded = rest.prefix(Int(length))
        rest = rest.dropFirst(Int(length))
        let isPadded = encoded.first == 0
        let digits = isPadded ? encoded.dropFirst() : encoded
        // A padding byte is only allowed if the leading bit is set or if it is the only byte.
        guard digits.count <= 32, digits.first.map({ $0 >= 0x80 }) ?? true == isPadded else { return nil }
        return digits
    }
}
