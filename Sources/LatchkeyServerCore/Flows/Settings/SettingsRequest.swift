import LatchkeyModel

/// A change that somebody asks for in their settings.
struct SettingsRequest: Sendable {
    let exchange: Exchange
    let flow: Flow
    let schema: IdentitySchema

    /// The session that asks.
    let session: Session

    /// Whether the request came with a token that a re-authentication has replaced.
    let hasReplacedToken: Bool

    /// For how long after a login its session may change what protects the account.
    let privilegedAge: Duration

    /// Whether the session may change what protects the account.
    var isPrivileged: Bool {
        !hasReplacedToken && session.authenticatedAt + privilegedAge > exchange.now
    }

    /// Locks the identity and then the session of the request, for a change that ends with either of them.
    ///
    /// - Returns: `false` if the account was disabled or the session ended after the request was authenticated.
    func isStillOpen(in transaction: borrowing Transaction) throws(DatabaseError) -> Bool {
        let identity = session.identityID
        guard try IdentityRepository.confirm(identity, in: transaction) else { return false }
        return try SessionRepository.hold(session.id, of: identity, at: exchange.now, in: transaction)
    }

    /// Whether the session may change what protects the account, with the token of the request as it is now.
    ///
    /// A re-authentication may have replaced it while the request waited.
    func isStillPrivileged(in transaction: borrowing Transaction) throws(DatabaseError) -> Bool {
        guard isPrivileged, let token = exchange.sessionToken else { return false }
        return try SessionRepository.has(SessionToken(presented: token), session.id, in: transaction)
    }
}

/// What came of a change of settings.
enum SettingsOutcome: Sendable {
    /// It is done; the identity as it is now, and what is to be verified.
    case saved(IdentityRecord, [VerificationSending.Begun])

    /// It is done once an address is verified; until then everything stays.
    case waits(VerificationSending.Begun)

    /// It was not done.
    case refused(Form)

    /// It needs a login that is younger.
    case needsRefresh

    /// The session or the account ended meanwhile.
    case sessionOver
}
