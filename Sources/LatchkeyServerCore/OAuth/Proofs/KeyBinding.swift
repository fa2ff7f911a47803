import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// The key that a request which opens a session proves possession of (RFC 9449), for enrolment to hold it against.
///
/// The time and nonce of the proof are not checked: the request must not be repeated, and a device with a wrong clock
/// must be able to log in. A copy of the proof is worth nothing, for a session that is bound to a key is of use to
/// the holder of that key alone.
struct KeyBinding: Sendable {
    /// SHA-256 of the public key; `nil` for a request without a proof.
    let keyThumbprint: [UInt8]?

    /// Reads the proof of a request.
    ///
    /// - Throws: 400 for a proof that is malformed, not signed by its key, or made for another request.
    init(_ exchange: Exchange, _ context: ServerContext) throws(ServerError) {
        guard exchange.request.headers[DPoPProof.header] != nil else {
            keyThumbprint = nil
            return
        }
        do throws(OAuthError) {
            let proof = try PresentedProof(exchange.request)
            try proof.checkTarget(exchange.request, origin: context.settings.baseURL)
            keyThumbprint = proof.key.thumbprint
        } catch {
            throw ServerError.malformed(error.reason)
        }
    }
}
