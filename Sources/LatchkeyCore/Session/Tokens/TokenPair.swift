package import LatchkeyModel

/// An access token, and the refresh token for its successor.
package struct TokenPair: Hashable, Sendable {
    /// The access token, sent with the app's requests.
    package var access: Secret

    /// The refresh token, valid only for the next pair and only with a proof by the device's key.
    package var refresh: Secret

    /// The time from which requests start an early refresh, by this device's clock.
    package var renewAt: Timestamp

    /// The time from which the access token counts as expired, by this device's clock.
    package var expiresAt: Timestamp

    /// Creates a pair from stored values.
    package init(access: Secret, refresh: Secret, renewAt: Timestamp, expiresAt: Timestamp) {
        (self.access, self.refresh) = (access, refresh)
        (self.renewAt, self.expiresAt) = (renewAt, expiresAt)
    }

    /// Creates a pair that was just received.
    ///
    /// The last fifth of its lifetime, at most one minute, is reserved for renewing it before it expires.
    ///
    /// - Parameters:
    ///   - access: The access token.
    ///   - refresh: The refresh token.
    ///   - lifespan: The lifetime of the access token, from `expires_in` of the server's response.
    ///   - now: The time of receipt, by this device's clock.
    package init(access: Secret, refresh: Secret, lifespan: Duration, receivedAt now: Timestamp) {
        self.init(
            access: access,
            refresh: refresh,
            renewAt: now + lifespan - min(lifespan / 5, .seconds(60)),
            expiresAt: now + lifespan
        )
    }
}
