package import LatchkeyModel

/// An access token, and the refresh token that gets the next one.
package struct TokenPair: Hashable, Sendable {
    /// What goes along with the app's requests.
    package var access: Secret

    /// What is shown for the next pair; it is good for that alone, and only together with the device's key.
    package var refresh: Secret

    /// From when on a request asks for the next pair first, by this device's clock.
    package var renewAt: Timestamp

    /// From when on the access token is taken for expired, by this device's clock.
    package var expiresAt: Timestamp

    package init(access: Secret, refresh: Secret, renewAt: Timestamp, expiresAt: Timestamp) {
        (self.access, self.refresh) = (access, refresh)
        (self.renewAt, self.expiresAt) = (renewAt, expiresAt)
    }

    /// A pair that was just received.
    ///
    /// The last fifth of its life, at most a minute, is for renewing it while it still works.
    package init(access: Secret, refresh: Secret, lifespan: Duration, receivedAt now: Timestamp) {
        self.init(
            access: access,
            refresh: refresh,
            renewAt: now + lifespan - min(lifespan / 5, .seconds(60)),
            expiresAt: now + lifespan
        )
    }
}
