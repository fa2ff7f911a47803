import LatchkeyModel

/// A new device key that is not yet bound to a session.
///
/// The login or registration request carries a proof of possession of the key, so that the server can bind
/// the new session to the key that is enrolled afterwards.
struct PendingKey: Sendable {
    let stored: StoredKey
    private let signer: DeviceSigner
    private let time: any TimeSource

    init(_ stored: StoredKey, signer: DeviceSigner, time: any TimeSource) {
        (self.stored, self.signer, self.time) = (stored, signer, time)
    }

    /// Signs a DPoP proof (RFC 9449), dated with the current time.
    ///
    /// - Parameter url: The URL of the request, without the query.
    /// - Returns: The value of the header field.
    /// - Throws: ``LatchkeyError/Code/deviceKeyFailed``.
    func proof(forPostTo url: String) async throws(LatchkeyError) -> String {
        try await signer.proof(forPostTo: url, issuedAt: time.now, by: stored)
    }
}
