import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// A request to change the settings of an identity.
struct SettingsRequest: Sendable {
    /// The request, whose time decides about expiry and privilege.
    let context: RequestContext
    /// The flow, which shows the outcome of the change.
    let flow: Flow
    /// The current schema of the identity.
    let schema: IdentitySchema

    /// The session that authenticated the request.
    let session: Session

    /// Whether a re-authentication has replaced the token of the request.
    let hasReplacedToken: Bool

    /// The time after an authentication in which a session is privileged to change credentials and addresses.
    let privilegedAge: Duration

    /// Whether the session was privileged when the request arrived; with a replaced token it is not.
    var isPrivileged: Bool {
        !hasReplacedToken && session.authenticatedAt + privilegedAge > context.now
    }

    /// Locks the rows of the identity and then of the session, so that a concurrent end of either conflicts.
    ///
    /// A change calls it first, so that all changes lock the rows in the same order.
    ///
    /// - Returns: `false` if the account was disabled or the session ended after the authentication.
    /// - Throws: ``DatabaseError``.
    func isStillOpen(in transaction: borrowing Transaction) throws(DatabaseError) -> Bool {
        let identity = session.identityID
        guard try IdentityRepository.confirm(identity, in: transaction) else { return false }
        return try SessionRepository.hold(session.id, of: identity, at: context.now, in: transaction)
    }

    /// Returns whether the session is privileged and the token of the request is still its current one.
    ///
    /// A re-authentication may have replaced the token while the request waited.
    func isStillPrivileged(in transaction: borrowing Transaction) throws(DatabaseError) -> Bool {
        guard isPrivileged, let token = context.sessionToken else { return false }
        return try SessionRepository.has(SessionToken(presented: token), of: session.id, in: transaction)
    }
}

/// The outcome of a settings change.
enum SettingsOutcome: Sendable {
    /// The change was saved: the updated identity, and the verifications that it started.
    case saved(IdentityRecord, [VerificationStarter.Begun])

    /// The change waits for the verification of an address; until then the identity stays unchanged.
    case waits(VerificationStarter.Begun)

    /// The change was rejected; the messages of the form say why.
    case refused(Form)

    /// The session is not privileged; its user has to re-authenticate.
    case needsRefresh

    /// The session has ended, or the account was disabled.
    case sessionOver
}
