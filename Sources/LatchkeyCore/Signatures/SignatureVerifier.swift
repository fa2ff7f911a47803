/// A type that verifies signatures created by other parties, such as the signatures of ID tokens.
///
/// The client decides which key and algorithm to use, so implementations only need to verify the signature.
/// The method may be called on any thread, and may take about 100 microseconds.
public protocol SignatureVerifier: Sendable {
    /// Returns whether a signature is valid.
    ///
    /// - Parameters:
    ///   - signature: The signature in the format used by JSON Web Signatures (RFC 7518). For ES256, this is
    ///     r followed by s, 32 bytes each.
    ///   - message: The signed bytes, not their hash.
    ///   - key: The key, which also determines the algorithm.
    /// - Returns: `false` if the signature is invalid, or if the key can't be used (for example because a
    ///   point isn't on the curve).
    func isValid(_ signature: [UInt8], for message: [UInt8], by key: SignatureKey) -> Bool
}
