import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// The session that a browser forgets when a flow opens another one.
struct ReplacedSession: Sendable {
    let flow: Flow
    /// The session that the browser had when it submitted the flow, or `nil` if it had none.
    let present: Session?
    let context: RequestContext

    /// Ends the session, unless it belongs to the user of the new one.
    func end(
        by identity: Identifier,
        at now: Timestamp,
        random: any RandomSource,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        guard flow.type == .browser, let present, present.identityID != identity,
            try SessionRepository.revokeActive(present.id, at: now, in: transaction)
        else { return }
        try AuditLog.append(
            AuditEvent(
                .loggedOut,
                of: present.identityID,
                by: .user,
                in: context,
                about: present.id.description,
                at: now,
                random: random
            ),
            in: transaction
        )
    }
}
