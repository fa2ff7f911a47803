import LatchkeyModel

/// A new device key that isn't bound to a session yet.
///
/// The login or registration request includes a proof of possession of this key. The server can then make
/// sure that only this key can be enrolled for the new session.
struct PendingKey: Sendable {
    let stored: StoredKey
    private let signer: DeviceSigner
    private let clock: ServerClock

    init(_ stored: StoredKey, signer: DeviceSigner, clock: ServerClock) {
        (self.stored, self.signer, self.clock) = (stored, signer, clock)
    }

    /// Signs a DPoP proof (RFC 9449) that is issued at the server's current time.
    ///
    /// - Parameter url: The URL of the request without the query.
    /// - Returns: The value for the `DPoP` header field.
    /// - Throws: ``LatchkeyError/Code/deviceKeyFailed``.
    func proof(forPostTo url: String) async throws(LatchkeyError) -> String {
        try await signer.proof(forPostTo: url, issuedAt: clock.now(), by: stored)
    }
}
