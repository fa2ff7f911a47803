import LatchkeyModel

extension VerifyingKey {
    /// Reads a key from the two coordinates that a JSON Web Key holds (RFC 7518, section 6.2).
    ///
    /// - Parameters:
    ///   - x: 32 bytes, most significant first.
    ///   - y: 32 bytes, most significant first.
    /// - Throws: ``CryptoError`` when they are no point of P-256.
    package init(x: [UInt8], y: [UInt8]) throws(CryptoError) {
        guard x.count == 32, y.count == 32 else {
            throw CryptoError(.malformed, "A coordinate of P-256 has 32 bytes.")
        }
        try self.init(der: Self.prefix + x + y)
    }

    /// The key as a JSON Web Key: the required members alone, in the order and form that RFC 7638 hashes.
    package var jwk: String {
        let x = Base64URL.encode(point[1..<33])
        let y = Base64URL.encode(point[33..<65])
        return #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
    }

    /// The SHA-256 of ``jwk`` (RFC 7638): what tokens and proofs know the key by.
    package var jwkThumbprint: [UInt8] { SHA256.hash(Array(jwk.utf8)) }
}
