import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// Ends flows when the reader of a mail reports that another user has asked for its link.
package struct LinkReports: Sendable {
    package enum Outcome: Hashable, Sendable {
        /// The flow has ended, in all browsers and apps.
        case ended
        /// The code isn't the flow's latest one, or has expired. The flow is unchanged.
        case expired
        /// The code was used, or the flow has already ended.
        case used
    }

    private let database: any Database
    private let lifecycle: FlowLifecycle
    private let verifier: CodeVerifier
    private let schemas: SchemaCatalog
    private let audit: AuditLog

    init(_ services: MethodServices) {
        database = services.environment.database
        lifecycle = services.lifecycle
        verifier = services.verifier
        schemas = services.accounts.schemas
        audit = services.accounts.audit
    }

    /// Returns who has asked for the code of a flow, or `nil` if the flow has no code.
    func origin(of flow: Flow) async throws -> MailedRequest? {
        guard var origin = try await CodeRepository.origin(of: flow.id, in: database) else { return nil }
        if let id = flow.clientID {
            origin.client = try await lifecycle.clients.client(id)
        } else if let challenge = flow.linkedChallenge {
            origin.client = try await lifecycle.authorization?.client(of: challenge)
        }
        return origin
    }

    /// Ends a flow if the code is correct.
    ///
    /// The code counts as a guess like any other, so the button isn't a way to try more codes.
    ///
    /// If the account itself has claimed the address, by a sign-up, a login with the right password or a change of
    /// settings, an address that isn't proven loses its roles. Anyone can ask for the code of a recovery or of
    /// another verification, so that report says that the request was a stranger's, and not that the account is: an
    /// attacker could otherwise make owners give up an address that they haven't confirmed yet.
    func report(
        _ flow: Flow,
        withCode code: OneTimeCode?,
        in context: RequestContext
    ) async throws -> Outcome {
        guard flow.link != nil else { throw ServerError.notFound }
        guard flow.completedAt == nil else { return .used }
        let now = context.now
        do {
            return try await database.transaction { transaction in
                let verdict = try verifier.judge(
                    code,
                    of: flow.id,
                    from: context.peer,
                    at: now,
                    in: transaction
                )
                switch verdict {
                case .right(let guessed):
                    guard try FlowRepository.complete(flow, at: now, in: transaction) else {
                        throw FlowEnded()
                    }
                    try record(guessed, of: flow, in: context, transaction: transaction)
                    return .ended
                case .notJudged(.used): return .used
                case .wrong, .notJudged: return .expired
                }
            }
        } catch is FlowEnded {
            return .used
        }
    }

    /// Records the report, and takes the address from an account that has only claimed it.
    private func record(
        _ guessed: CodeRepository.Guessed,
        of flow: Flow,
        in context: RequestContext,
        transaction: borrowing Transaction
    ) throws {
        guard let id = guessed.identityID else { return }
        _ = try IdentityRepository.confirm(id, in: transaction)
        guard let old = try IdentityRepository.load(id, in: transaction) else { return }
        let (address, now) = (guessed.address, context.now)
        try AuditLog.append(
            audit.event(.linkReported, of: id, in: context, about: flow.kind.rawValue, at: now),
            in: transaction
        )
        guard flow.identityID == id, old.addresses.contains(address), !old.isProven(address) else { return }
        let new = old.disowning(address, by: schemas[old.schemaID], at: now)
        try IdentityRepository.save(new, replacing: old, in: transaction)
        try AuditLog.append(
            audit.event(
                .addressReleased,
                of: id,
                by: .server,
                in: context,
                about: address.via.rawValue,
                at: now
            ),
            in: transaction
        )
    }
}
