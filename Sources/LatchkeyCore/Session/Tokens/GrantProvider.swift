import LatchkeyModel

/// Refreshes and ends OAuth grants at the provider that has issued them.
///
/// All methods throw ``LatchkeyError``.
protocol GrantProvider: Sendable {
    /// The provider's clock.
    var clock: ServerClock { get }

    /// Requests new tokens for a grant.
    ///
    /// The request contains a proof only if the tokens are bound to the key.
    ///
    /// - Parameters:
    ///   - grant: The grant, which must have a refresh token.
    ///   - key: The key of the login.
    ///   - context: The time and nonce for the proof.
    /// - Returns: The new tokens, or the provider's error.
    /// - Throws: ``LatchkeyError`` if there is no response in the provider's format.
    func refresh(
        _ grant: OAuthGrant,
        key: StoredKey,
        with context: TokenRenewal.ProofContext
    ) async throws(LatchkeyError) -> OAuthReply<TokenPair>

    /// Returns whether the provider says that the access token of a grant isn't valid anymore (RFC 6750, section 3.1).
    ///
    /// Throws an error if the provider has no endpoint that tells.
    func isEnded(_ grant: OAuthGrant) async throws(LatchkeyError) -> Bool

    /// Revokes a token (RFC 7009).
    ///
    /// A provider without an endpoint for this ends its tokens when they expire.
    ///
    /// - Parameters:
    ///   - token: The refresh token, or the access token if there is no refresh token.
    ///   - issuer: The provider that has issued the token.
    ///   - client: The client that it was issued to.
    /// - Throws: ``LatchkeyError`` if the provider hasn't accepted the request.
    func revoke(_ token: Secret, of issuer: String, client: String) async throws(LatchkeyError)
}
