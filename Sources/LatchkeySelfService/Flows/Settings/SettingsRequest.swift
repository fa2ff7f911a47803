import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// A request to change the settings of an identity.
struct SettingsRequest: Sendable {
    /// The request, whose time determines expiry and privilege.
    let context: RequestContext
    /// The flow, which shows the outcome of the change.
    let flow: Flow
    /// The current schema of the identity.
    let schema: IdentitySchema

    /// The session with which the request was authenticated.
    let session: Session

    /// Whether a re-authentication has replaced the token of the request.
    let hasReplacedToken: Bool

    /// The period after an authentication during which a session is privileged to change credentials and
    /// addresses.
    let privilegedAge: Duration

    /// Whether the session was privileged when the request arrived; a request with a replaced token is not
    /// privileged.
    var isPrivileged: Bool {
        !hasReplacedToken && session.authenticatedAt + privilegedAge > context.now
    }

    /// Locks the row of the identity and then that of the session, so the change conflicts with a concurrent
    /// request that disables the account or ends the session.
    ///
    /// Every change calls this function first, so all changes lock the rows in the same order.
    ///
    /// - Returns: `false` if the account was disabled, or the session ended, after the request was
    ///   authenticated.
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
    /// The change was saved; the case contains the updated identity and the verifications that the change
    /// began.
    case saved(IdentityRecord, [VerificationStarter.Begun])

    /// The change waits for the verification of an address, until which the identity is unchanged.
    case waits(VerificationStarter.Begun)

    /// The change was rejected; the form's messages state the reasons.
    case refused(Form)

    /// The session is not privileged, so the user must re-authenticate.
    case needsRefresh

    /// The session has ended, or the account was disabled.
    case sessionOver
}
