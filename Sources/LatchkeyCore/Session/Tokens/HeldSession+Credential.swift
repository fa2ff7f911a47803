import LatchkeyModel
import LatchkeyWire

/// The choice of the credential for a request.
extension HeldSession {
    /// Returns whether a request uses an access token.
    ///
    /// - Parameter route: The route of the identity server that the request is for, or `nil` if it is for
    ///   another API. The identity server's routes receive the session token, if there is one.
    /// - Returns: `true` for an access token, or `false` for the session token.
    func usesPair(at route: SessionRoute?) -> Bool {
        handle.isPair && sessionToken(for: route) == nil
    }

    /// Returns the session token for one of the identity server's routes, or `nil` if the request uses the
    /// app's credential.
    ///
    /// `whoami` accepts every credential of the session, so that apps can try out their credential with it.
    private func sessionToken(for route: SessionRoute?) -> Secret? {
        route == .other ? stored.sessionToken : nil
    }

    /// Returns the token pair, if a request uses an access token that is bound to the device's key.
    func boundPair(at route: SessionRoute?) -> TokenPair? {
        guard usesPair(at: route), let pair = stored.pair, pair.isBound else { return nil }
        return pair
    }

    /// Returns the bearer token for a request.
    func bearer(at route: SessionRoute?) -> Secret {
        sessionToken(for: route) ?? bearer
    }
}
