import COpenSSL
import LatchkeyModel

/// A pool of OpenSSL objects for public keys on P-256, each of which is reused by setting a new point.
///
/// Creating a key object, including its first use, takes a tenth as long as verifying a signature. A pooled
/// key must not be passed to an OpenSSL object that outlives its ``KeyHandle``, such as a certificate,
/// because that object would later see the point of a different key.
final class PublicKeyPool: Sendable {
    /// The pool that is shared by the whole process.
    static let shared = PublicKeyPool()

    /// The maximum number of unused keys, about as many as are in use at the same time.
    ///
    /// Each key takes a few kilobytes.
    private static let limit = 64

    /// Any key on P-256, from which the curve parameters are copied.
    private let curve = try? SigningKey.generate().handle

    private let idle = Locked<[OpaquePointer]>([])

    /// Returns a key with the given point; OpenSSL rejects points that are not on the curve.
    ///
    /// OpenSSL's decoder for SubjectPublicKeyInfo takes 30 times as long, which is longer than verifying a
    /// signature.
    func key(point: [UInt8]) throws(CryptoError) -> KeyHandle {
        let pooled = idle.withLock { $0.popLast() }
        let pointer = if let pooled { pooled } else { try makeEmptyKey() }
        guard EVP_PKEY_set1_encoded_public_key(pointer, point, point.count) == 1 else {
            // The failure may have left the key in an undefined state.
            EVP_PKEY_free(pointer)
            throw .openSSL(.malformed, message: "The public key cannot be decoded.")
        }
        return KeyHandle(owning: pointer, returningTo: self)
    }

    /// Returns an unused key to the pool, or frees it if the pool is full.
    func release(_ pointer: OpaquePointer) {
        let isKept = idle.withLock { idle in
            guard idle.count < Self.limit else { return false }
            idle.append(pointer)
            return true
        }
        if !isKept { EVP_PKEY_free(pointer) }
    }

    /// Creates a key with the parameters of the curve and no point.
    private func makeEmptyKey() throws(CryptoError) -> OpaquePointer {
        guard let curve, let key = EVP_PKEY_new() else {
            throw .openSSL(.failed, message: "The curve P-256 is not available.")
        }
        guard EVP_PKEY_copy_parameters(key, curve.pointer) == 1 else {
            EVP_PKEY_free(key)
            throw .openSSL(.failed, message: "The curve P-256 is not available.")
        }
        return key
    }
}
