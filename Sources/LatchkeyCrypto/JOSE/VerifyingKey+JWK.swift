import LatchkeyModel

extension VerifyingKey {
    /// Creates a key from the two coordinates of a JSON Web Key (RFC 7518, section 6.2).
    ///
    /// - Parameters:
    ///   - x: The x coordinate as 32 bytes in big-endian order.
    ///   - y: The y coordinate as 32 bytes in big-endian order.
    /// - Throws: ``CryptoError`` if the coordinates do not describe a point on P-256.
    package init(x: [UInt8], y: [UInt8]) throws(CryptoError) {
        guard x.count == 32, y.count == 32 else {
            throw CryptoError(.malformed, "A coordinate on P-256 must have 32 bytes.")
        }
        try self.init(der: Self.prefix + x + y)
    }

    /// The key as a JSON Web Key.
    ///
    /// The JWK only contains the required members, in the order and form that RFC 7638 specifies for
    /// computing the thumbprint.
    package var jwk: String {
        let x = Base64URL.encode(point[1..<33])
        let y = Base64URL.encode(point[33..<65])
        return #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
    }

    /// The SHA-256 hash of ``jwk`` (RFC 7638).
    ///
    /// Tokens and proofs use the thumbprint to refer to the key.
    package var jwkThumbprint: [UInt8] { SHA256.hash(Array(jwk.utf8)) }
}
