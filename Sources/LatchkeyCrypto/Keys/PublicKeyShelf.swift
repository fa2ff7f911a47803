import COpenSSL
import LatchkeyModel

/// Public keys on P-256 that are out of use, kept so that the next one only needs its point set.
///
/// To make one anew, and its first use, take OpenSSL a tenth of the time of a verification. A key that was here must be
/// shown to nothing in OpenSSL that outlives its ``KeyHandle``, such as a certificate: that would see the next point.
final class PublicKeyShelf: Sendable {
    static let shared = PublicKeyShelf()

    /// About as many as are in use at once; each takes some kilobytes.
    private static let limit = 64

    /// Some key on P-256, for its parameters.
    private let curve = try? SigningKey.generate().handle

    private let idle = Locked<[OpaquePointer]>([])

    /// A key with a point; OpenSSL refuses what does not lie on the curve.
    ///
    /// Its decoder of SubjectPublicKeyInfo takes 30 times as long, and more than a signature takes to verify.
    func key(point: [UInt8]) throws(CryptoError) -> KeyHandle {
        let kept = idle.withLock { $0.popLast() }
        let pointer = if let kept { kept } else { try blank() }
        guard EVP_PKEY_set1_encoded_public_key(pointer, point, point.count) == 1 else {
            // What a failure leaves in it is not for others.
            EVP_PKEY_free(pointer)
            throw .openSSL(.malformed, "The public key cannot be read.")
        }
        return KeyHandle(owning: pointer, returningTo: self)
    }

    /// Takes a key back that nobody uses any more.
    func put(_ pointer: OpaquePointer) {
        let isKept = idle.withLock { idle in
            guard idle.count < Self.limit else { return false }
            idle.append(pointer)
            return true
        }
        if !isKept { EVP_PKEY_free(pointer) }
    }

    private func blank() throws(CryptoError) -> OpaquePointer {
        guard let curve, let key = EVP_PKEY_new() else {
            throw .openSSL(.failed, "The curve P-256 is not there.")
        }
        guard EVP_PKEY_copy_parameters(key, curve.pointer) == 1 else {
            EVP_PKEY_free(key)
            throw .openSSL(.failed, "The curve P-256 is not there.")
        }
        return key
    }
}
