import LatchkeyCrypto
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The key whose possession a login request proves (RFC 9449), which a later enrolment must match.
///
/// Time, nonce and URL of the proof are not verified. The request must not have to be repeated, and a device
/// must be able to log in if its clock is wrong or it knows the server by another name. A copied proof is
/// useless to an attacker: a session that is bound to a key can enrol that key only, which requires its
/// private key.
package struct KeyBinding: Sendable {
    /// The SHA-256 hash of the public key; `nil` for a request without a proof.
    package let keyThumbprint: [UInt8]?

    /// Reads the proof of a request.
    ///
    /// The proof is not recorded in the replay cache.
    ///
    /// - Parameter context: The request; without the header field `DPoP`, the thumbprint is `nil`.
    /// - Throws: ``ServerError`` with status 400 for a proof that is malformed or not signed by its key.
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
