import COpenSSL
import LatchkeyModel

/// A pool of OpenSSL objects for P-256 public keys.
///
/// To reuse an object for another key, the pool sets a new point.
///
/// Creating a key object, including its first use, takes a tenth of the time needed to verify a signature. A
/// pooled key must not be passed to an OpenSSL object that outlives its ``KeyHandle``, such as a certificate,
/// because that object would later see a different key's point.
final class PublicKeyPool: Sendable {
    /// The pool shared by the whole process.
    static let shared = PublicKeyPool()

    /// The maximum number of unused keys.
    ///
    /// The limit roughly matches the number of keys that are in use at the same time.
    ///
    /// Each key needs a few kilobytes of memory.
    private static let limit = 64

    /// An arbitrary P-256 key to copy the curve parameters from.
    private let curve = try? SigningKey.generate().handle

    private let idle = Locked<[OpaquePointer]>([])

    /// Returns a key with the given point.
    ///
    /// OpenSSL rejects points that are not on the curve.
    ///
    /// OpenSSL's decoder for SubjectPublicKeyInfo would take 30 times as long as this method, and longer than
    /// verifying a signature.
    func key(point: [UInt8]) throws(CryptoError) -> KeyHandle {
        let pooled = idle.withLock { $0.popLast() }
        let pointer = if let pooled { pooled } else { try makeEmptyKey() }
        guard EVP_PKEY_set1_encoded_public_key(pointer, point, point.count) == 1 else {
            // After a failure, the key may be in an undefined state.
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

    /// Creates a key that has the curve's parameters but no point.
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
