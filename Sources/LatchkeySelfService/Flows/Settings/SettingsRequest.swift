import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// A request to change an identity's settings.
struct SettingsRequest: Sendable {
    /// The request's context, including the time for checking expiry and privilege.
    let context: RequestContext
    /// The settings flow that the change was submitted to.
    let flow: Flow
    /// The identity's current schema.
    let schema: IdentitySchema

    /// The session that authenticated the request.
    let session: Session

    /// The session token that the request presented.
    let token: SessionToken?

    /// Whether the request's token has been replaced by a re-authentication.
    let hasReplacedToken: Bool

    /// How long credentials and addresses can be changed in a session after the user has authenticated.
    let privilegedAge: Duration

    /// Whether the session was privileged when the request arrived.
    ///
    /// A session isn't privileged if the request's token has been replaced.
    var isPrivileged: Bool {
        !hasReplacedToken && session.isPrivileged(for: privilegedAge, at: context.now)
    }

    /// Locks the identity and then the session, so that the change conflicts with a concurrent request that
    /// disables the account or ends the session.
    ///
    /// Every change calls this function first, so that all changes acquire the locks in the same order.
    ///
    /// - Returns: `false` if the account was disabled or the session ended after the request was
    ///   authenticated.
    /// - Throws: ``DatabaseError``.
    func isStillOpen(in transaction: borrowing Transaction) throws(DatabaseError) -> Bool {
        try session.hold(at: context.now, in: transaction)
    }

    /// Returns whether the session is privileged and still has the same token as the request.
    ///
    /// A re-authentication may have replaced the token while the request was waiting.
    func isStillPrivileged(in transaction: borrowing Transaction) throws(DatabaseError) -> Bool {
        guard isPrivileged, let token else { return false }
        return try SessionRepository.has(token, of: session.id, in: transaction)
    }
}

enum SettingsOutcome: Sendable {
    /// The change was saved. The associated values are the updated identity and the verifications that were
    /// started.
    case saved(IdentityRecord, [VerificationStarter.Begun])

    /// The change is waiting for an address to be verified. Until then, the identity stays unchanged.
    case waits(VerificationStarter.Begun)

    /// The change was rejected. The messages in the form explain why the change was rejected.
    case refused(Form)

    /// The session isn't privileged, so the user must re-authenticate.
    case needsRefresh

    /// The session has ended, or the account was disabled.
    case sessionOver
}
