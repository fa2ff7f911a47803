package import LatchkeyModel

/// A session, the identity that owns it, and the state of the token that was used to find it.
package struct AuthenticatedSession: Sendable {
    /// The state of the token that was used to find a session.
    package enum Token: Hashable, Sendable {
        /// The session's current token.
        case current
        /// The session's current token, which has replaced another one but hasn't been used yet.
        case unused
        /// A token that was replaced during re-authentication.
        ///
        /// Until the new token is used, this token has no expiry date and `validUntil` is `nil`.
        case replaced(validUntil: Timestamp?)
    }

    /// The session, which may have ended; see ``isAlive(at:)``.
    package let session: Session
    /// The identity that owns the session.
    ///
    /// The identity may be inactive.
    package let identity: IdentityRecord
    /// The state of the token.
    ///
    /// ``Token/current`` if the session was found by its id.
    package var token = Token.current

    /// The session token that the request presented, or `nil` if it presented an access token.
    ///
    /// Its kind tells whether the client is a browser.
    package var presentedToken: SessionToken?

    /// The thumbprint of the key that the request's proof of possession was signed with, or `nil` if
    /// there was no proof.
    package var provenKey: [UInt8]?

    /// When the request's access token expires, or `nil` if the request has a session token.
    package var accessTokenExpiry: Timestamp?

    /// Whether the token was replaced during re-authentication.
    package var isTokenReplaced: Bool {
        if case .replaced = token { true } else { false }
    }

    /// Returns whether the token is the current one, or has been replaced but hasn't expired yet.
    package func isTokenValid(at now: Timestamp) -> Bool {
        guard case .replaced(let end?) = token else { return true }
        return now < end
    }

    /// Returns whether the session may be used with this token.
    ///
    /// The session and the identity must be active, and the token must be valid.
    package func isAlive(at now: Timestamp) -> Bool {
        session.isAlive(at: now) && identity.isActive && isTokenValid(at: now)
    }
}

extension AuthenticatedSession {
    /// Creates the state of a session that the request has just opened or extended.
    package init(_ session: Session, of identity: IdentityRecord) {
        self.init(session: session, identity: identity)
    }
}
