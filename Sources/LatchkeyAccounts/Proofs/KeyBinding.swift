import LatchkeyCrypto
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The key in a login request's proof of possession (RFC 9449).
///
/// Only this key can be enrolled later.
///
/// We don't verify the proof's time, nonce and URL. Users shouldn't have to repeat a login just because their
/// device's clock is wrong or because the device connects to the server under a different name. A copied
/// proof is useless to an attacker, because a session that is bound to a key can only enrol that key, and
/// enrolling it requires the private key.
package struct KeyBinding: Sendable {
    /// The SHA-256 hash of the public key, or `nil` if the request didn't contain a proof.
    package let keyThumbprint: [UInt8]?

    /// Reads the proof from a request.
    ///
    /// The proof isn't added to the replay cache.
    ///
    /// - Parameter context: The request. Without a `DPoP` header field, the thumbprint is `nil`.
    /// - Throws: ``ServerError`` with status 400 if the proof is malformed or wasn't signed with its key.
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
