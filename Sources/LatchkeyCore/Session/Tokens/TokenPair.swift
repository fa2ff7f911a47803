package import LatchkeyModel

/// An access token and the refresh token that replaces it.
package struct TokenPair: Hashable, Sendable {
    /// The access token, sent with the app's requests.
    package var access: Secret

    /// The refresh token, valid for a single refresh and only with a proof signed by the device's key.
    package var refresh: Secret

    /// The time after which requests start an early refresh, according to this device's clock.
    package var renewAt: Timestamp

    /// The time at which the access token expires, according to this device's clock.
    package var expiresAt: Timestamp

    /// Whether the access token is bound to the device's key, so that each request needs a proof of
    /// possession.
    package var isBound: Bool

    /// Creates a pair from stored values; by default, for a bearer token.
    package init(
        access: Secret,
        refresh: Secret,
        renewAt: Timestamp,
        expiresAt: Timestamp,
        isBound: Bool = false
    ) {
        (self.access, self.refresh) = (access, refresh)
        (self.renewAt, self.expiresAt) = (renewAt, expiresAt)
        self.isBound = isBound
    }

    /// Creates a pair that has just been received.
    ///
    /// The last fifth of the access token's lifetime, at most one minute, is reserved for refreshing it
    /// before it expires.
    ///
    /// - Parameters:
    ///   - access: The access token.
    ///   - refresh: The refresh token.
    ///   - lifespan: The lifetime of the access token, from `expires_in` of the server's response.
    ///   - now: The time of receipt, according to this device's clock.
    ///   - isBound: Whether the access token is bound to the device's key.
    package init(
        access: Secret,
        refresh: Secret,
        lifespan: Duration,
        receivedAt now: Timestamp,
        isBound: Bool = false
    ) {
        self.init(
            access: access,
            refresh: refresh,
            renewAt: now + lifespan - min(lifespan / 5, .seconds(60)),
            expiresAt: now + lifespan,
            isBound: isBound
        )
    }
}
