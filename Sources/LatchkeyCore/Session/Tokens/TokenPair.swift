package import LatchkeyModel

/// An access token and the refresh token for renewing it.
package struct TokenPair: Hashable, Sendable {
    /// The access token that is sent with the app's requests.
    package var access: Secret

    /// The refresh token, which the identity server accepts only once, and only with a proof signed by the device's
    /// key.
    ///
    /// This is `nil` if the provider of an OAuth grant doesn't issue refresh tokens.
    package var refresh: Secret?

    /// The time after which requests refresh the token early, according to this device's clock.
    package var renewAt: Timestamp

    /// The time at which the access token expires, according to this device's clock.
    package var expiresAt: Timestamp

    /// Whether the access token is bound to the device's key.
    ///
    /// Every request with a bound token needs a proof of possession.
    package var isBound: Bool

    /// Creates a pair from stored values.
    ///
    /// By default, the access token is a bearer token.
    package init(
        access: Secret,
        refresh: Secret?,
        renewAt: Timestamp,
        expiresAt: Timestamp,
        isBound: Bool = false
    ) {
        (self.access, self.refresh) = (access, refresh)
        (self.renewAt, self.expiresAt) = (renewAt, expiresAt)
        self.isBound = isBound
    }

    /// Creates a token pair from values that have just been received from the server.
    ///
    /// The token is refreshed one minute before it expires, or when a fifth of its lifetime is left,
    /// whichever is later. Without a refresh token, it is used until it expires.
    ///
    /// - Parameters:
    ///   - access: The access token.
    ///   - refresh: The refresh token, if there is one.
    ///   - lifespan: The lifetime of the access token (`expires_in` in the server's response).
    ///   - now: The time at which the pair was received, according to this device's clock.
    ///   - isBound: Whether the access token is bound to the device's key.
    package init(
        access: Secret,
        refresh: Secret?,
        lifespan: Duration,
        receivedAt now: Timestamp,
        isBound: Bool = false
    ) {
        self.init(
            access: access,
            refresh: refresh,
            renewAt: now + lifespan - (refresh == nil ? .zero : min(lifespan / 5, .seconds(60))),
            expiresAt: now + lifespan,
            isBound: isBound
        )
    }
}
