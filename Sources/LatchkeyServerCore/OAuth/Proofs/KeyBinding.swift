import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// The key that a request which opens a session proves possession of (RFC 9449), for enrolment to compare.
///
/// The time, the nonce and the URL of the proof are not judged. The request must not be repeated, and a device with a
/// wrong clock, or one that knows the server under another name, must be able to log in. A copy of the proof is worth
/// nothing: a session that is bound to a key can enrol that key only, and needs its holder for it.
struct KeyBinding: Sendable {
    /// SHA-256 of the public key; `nil` for a request without a proof.
    let keyThumbprint: [UInt8]?

    /// Reads the proof of a request.
    ///
    /// - Throws: 400 for a proof that is malformed or not signed by its key.
    init(_ exchange: Exchange) throws(ServerError) {
        guard exchange.request.headers[DPoPProof.header] != nil else {
            keyThumbprint = nil
            return
        }
        do throws(OAuthError) {
            keyThumbprint = try PresentedProof(exchange.request).key.thumbprint
        } catch {
            throw ServerError.malformed(error.reason)
        }
    }
}
