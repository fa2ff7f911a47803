import LatchkeyModel
import LatchkeyWire

/// Checks a password and opens a session.
///
/// A known and an unknown account cost the same: one read, one hash, the same transactions.
struct PasswordLogin: Sendable {
    /// What came of an attempt.
    enum Outcome: Sendable {
        case session(LoginCompletion.Opened)
        case refused(UIMessage)
        case flowOver
    }

    private struct AccountChanged: Error {}

    private let context: ServerContext
    private let identities: IdentityRepository
    private let completion: LoginCompletion
    private let limiter: Limiter

    init(_ context: ServerContext) {
        self.context = context
        identities = IdentityRepository(context)
        completion = LoginCompletion(context)
        limiter = Limiter(context)
    }

    /// Counts the attempt as a failure, judges it, and takes the failure back when it was none.
    func attempt(_ request: LoginCompletion.Request, identifier: String, _ password: Secret) async throws
        -> Outcome
    {
        let identifier = LoginIdentifier.normalize(identifier)
        let reservation = try await reserve(identifier, request.exchange)
        let account: IdentityRepository.Account?
        let verdict: PasswordVerdict
        do {
            account = try await identities.find(identifier: identifier)
            verdict = try await context.hasher.verify(password, against: account?.passwordHash)
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
        let fresh = outdated ? try? await context.hasher.hash(password) : nil
        return try await open(request, account.identity, checked: hash, fresh: fresh, reservation)
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
        _ request: LoginCompletion.Request,
        _ identity: IdentityRecord,
        checked hash: String,
        fresh: String?,
        _ reservation: LimitReservation
    ) async throws -> Outcome {
        let now = context.time.now
        do {
            let opened = try await context.database.transaction { [completion, limiter] transaction in
                let opened = try completion.open(request, identity, by: "password", at: now, in: transaction)
                guard try IdentityRepository.confirm(identity.id, passwordHash: hash, in: transaction) else {
                    throw AccountChanged()
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
                return opened
            }
            return .session(opened)
        } catch is LoginCompletion.FlowOver {
            return .flowOver
        } catch is AccountChanged {
            return .refused(.invalidCredentials)
        }
    }
}
