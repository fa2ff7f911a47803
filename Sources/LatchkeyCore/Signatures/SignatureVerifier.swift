/// A part of the client that verifies signatures of other parties, such as those of ID tokens.
///
/// The client decides which key and which algorithm a signature must have; an implementation only computes. It
/// is called on any thread, and may take some 100 microseconds.
public protocol SignatureVerifier: Sendable {
    /// Returns whether a signature is valid.
    ///
    /// - Parameters:
    ///   - signature: The signature in the form of JSON Web Signatures (RFC 7518): for ES256, the values r and
    ///     s, 32 bytes each.
    ///   - message: The signed bytes, not their hash.
    ///   - key: The key, which also determines the algorithm.
    /// - Returns: `false` for an invalid signature, and for a key that cannot be used, such as a point that is
    ///   not on the curve.
    func isValid(_ signature: [UInt8], for message: [UInt8], by key: SignatureKey) -> Bool
}
