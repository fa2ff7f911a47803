import LatchkeyModel
import LatchkeyWire

/// Checks a password and opens a session.
///
/// A known and an unknown account cost the same: one read, one hash, the same transactions.
struct PasswordLogin: Sendable {
    /// One attempt to log in.
    struct Attempt: Sendable {
        let exchange: Exchange
        let flow: Flow
        let identifier: String
        let password: Secret

        /// The session to go on with when its owner proves again who it is.
        let present: Session?
    }

    /// What came of an attempt.
    enum Outcome: Sendable {
        case session(Session, SessionToken, IdentityRecord)
        case refused(UIMessage)
        case flowOver
    }

    private struct FlowOver: Error {}
    private struct AccountChanged: Error {}

    private let context: ServerContext
    private let identities: IdentityRepository
    private let limiter: Limiter

    init(_ context: ServerContext) {
        self.context = context
        identities = IdentityRepository(context)
        limiter = Limiter(context)
    }

    /// Counts the attempt as a failure, judges it, and takes the failure back when it was none.
    func attempt(_ attempt: Attempt) async throws -> Outcome {
        let identifier = LoginIdentifier.normalize(attempt.identifier)
        let reservation = try await reserve(identifier, attempt.exchange)
        let account: IdentityRepository.Account?
        let verdict: PasswordVerdict
        do {
            account = try await identities.find(identifier: identifier)
            verdict = try await context.hasher.verify(attempt.password, against: account?.passwordHash)
        } catch {
            // Nothing was judged: the person must not pay for a server that has too much to do.
            try await context.database.transaction { [limiter] transaction in
                try limiter.giveBack(reservation, in: transaction)
            }
            throw error
        }
        guard let account, let hash = account.passwordHash, case .right(let outdated) = verdict else {
            return .refused(.invalidCredentials)
        }
        guard account.identity.isActive else { return .refused(.identityDisabled) }
        let fresh = outdated ? try? await context.hasher.hash(attempt.password) : nil
        return try await open(attempt, account.identity, checked: hash, fresh: fresh, reservation)
    }

    private func reserve(_ identifier: String, _ exchange: Exchange) async throws -> LimitReservation {
        let verdict = try await context.database.transaction { [limiter] transaction in
            try limiter.reserve(
                [.failureOfAccount(identifier), .failureFromAddress(exchange.peer)],
                at: exchange.now,
                in: transaction
            )
        }
        switch verdict {
        case .reserved(let reservation): return reservation
        case .refused(let retryAfter): throw ServerError.tooManyRequests(retryAfter: retryAfter)
        }
    }

    private func open(
        _ attempt: Attempt,
        _ identity: IdentityRecord,
        checked hash: String,
        fresh: String?,
        _ reservation: LimitReservation
    ) async throws -> Outcome {
        let now = context.time.now
        let opening = SessionOpening(
            of: identity.id,
            context.schemas[identity.schemaID],
            for: attempt.exchange,
            at: now,
            context
        )
        let renewed = attempt.present.flatMap { present in
            present.identityID == identity.id && attempt.flow.refresh
                ? present.authenticatedAgain(
                    by: "password",
                    at: now,
                    lifespan: context.settings.sessionLifespan
                )
                : nil
        }
        do {
            let isRenewed = try await context.database.transaction {
                [limiter] transaction in
                guard try FlowRepository.consume(attempt.flow, at: now, in: transaction) else {
                    throw FlowOver()
                }
                guard try IdentityRepository.confirm(identity.id, passwordHash: hash, in: transaction) else {
                    throw AccountChanged()
                }
                var isRenewed = false
                if let renewed { isRenewed = try SessionRepository.renew(renewed, in: transaction) }
                if !isRenewed {
                    try SessionRepository.insert(opening.session, token: opening.token, in: transaction)
                }
                if let fresh {
                    try IdentityRepository.rehash(
                        identity.id,
                        from: hash,
                        to: fresh,
                        at: now,
                        in: transaction
                    )
                }
                try limiter.giveBack(reservation, in: transaction)
                return isRenewed
            }
            if isRenewed, let renewed, let token = attempt.exchange.sessionToken {
                return .session(renewed, SessionToken(presented: token), identity)
            }
            return .session(opening.session, opening.token, identity)
        } catch is FlowOver {
            return .flowOver
        } catch is AccountChanged {
            return .refused(.invalidCredentials)
        }
    }
}
