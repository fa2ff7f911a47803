import LatchkeyCrypto
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The key whose possession a login request proves (RFC 9449), to which a later enrolment is bound.
///
/// The proof's time, nonce and URL are not verified. A login should not have to be repeated, and it must
/// succeed even if the device's clock is wrong or if the device reaches the server under another name. A
/// copied proof is useless to an attacker, because a session that is bound to a key can enrol only that key,
/// which requires its private key.
package struct KeyBinding: Sendable {
    /// The SHA-256 hash of the public key; `nil` for a request without a proof.
    package let keyThumbprint: [UInt8]?

    /// Reads the proof of a request.
    ///
    /// The proof is not added to the replay cache.
    ///
    /// - Parameter context: The request; if it has no `DPoP` header field, the thumbprint is `nil`.
    /// - Throws: ``ServerError`` with status 400 if the proof is malformed or not signed by its key.
    package init(_ context: RequestContext) throws(ServerError) {
        guard context.request.headers[DPoPProof.header] != nil else {
            keyThumbprint = nil
            return
        }
        do throws(OAuthError) {
            keyThumbprint = try PresentedProof(context.request).key.thumbprint
        } catch {
            throw ServerError.malformed(error.reason)
        }
    }
}
