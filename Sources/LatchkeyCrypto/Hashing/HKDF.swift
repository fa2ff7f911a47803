/// Derives keys from a secret: HKDF with SHA-256 (RFC 5869).
package enum HKDF {
    /// Derives a key.
    ///
    /// - Parameters:
    ///   - secret: The secret that all keys come from.
    ///   - salt: A value that need not be secret.
    ///   - info: What the key is for: other purposes have other keys.
    ///   - count: The number of bytes.
    /// - Returns: The key.
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
