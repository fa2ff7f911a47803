/// Key derivation with HKDF and SHA-256 (RFC 5869).
package enum HKDF {
    /// Derives a key from a secret.
    ///
    /// - Parameters:
    ///   - secret: The input keying material.
    ///   - salt: The salt, which does not have to be secret.
    ///   - info: The purpose of the key. Keys that are derived for different purposes are independent of each
    ///     other.
    ///   - count: The length of the key in bytes.
    /// - Returns: The derived key.
    package static func key(
        from secret: [UInt8],
        salt: [UInt8] = [],
        info: [UInt8],
        count: UInt8 = 32
    ) -> [UInt8] {
        let extracted = HMACKey(bytes: HMACKey(bytes: salt).authenticate(secret))
        var key = [UInt8]()
        var block = [UInt8]()
        var number: UInt8 = 1
        while key.count < count {
            block = extracted.authenticate(block + info + [number])
            key += block
            number += 1
        }
        return Array(key.prefix(Int(count)))
    }
}
