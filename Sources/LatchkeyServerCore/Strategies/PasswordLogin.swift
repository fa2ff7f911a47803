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

        /// The password was right, but none of the addresses is verified; the codes for them are on their way.
        case unverified([VerificationSending.Begun])
        case flowOver
    }

    private struct AccountChanged: Error {}

    /// An account whose password was right.
    private struct Checked: Sendable {
        let identity: IdentityRecord
        let identifier: String

        /// What it was checked against.
        let hash: String

        /// A hash with the configured parameters, where that one is outdated.
        let fresh: String?
    }

    private let context: ServerContext
    private let identities: IdentityRepository
    private let completion: LoginCompletion
    private let limiter: Limiter
    private let networks: KnownNetworks
    private let verified: VerifiedAddressCheck

    init(_ context: ServerContext, courier: Courier) {
        self.context = context
        identities = IdentityRepository(context)
        completion = LoginCompletion(context)
        limiter = Limiter(context)
        networks = KnownNetworks(context)
        verified = VerifiedAddressCheck(context, courier: courier)
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
        if let refusal = try await refusal(of: account.identity, identifier, request, reservation) {
            return refusal
        }
        let fresh = outdated ? try? await context.hasher.hash(password) : nil
        let checked = Checked(identity: account.identity, identifier: identifier, hash: hash, fresh: fresh)
        return try await open(request, checked, reservation)
    }

    /// Refuses who has proved who they are and may not come in yet; that was no failed attempt.
    private func refusal(
        of identity: IdentityRecord,
        _ identifier: String,
        _ request: LoginCompletion.Request,
        _ reservation: LimitReservation
    ) async throws -> Outcome? {
        guard try await verified.isMissing(identity.id, identifier) else { return nil }
        try await context.database.transaction { [limiter] transaction in
            try limiter.giveBack(reservation, in: transaction)
        }
        guard context.settings.verifiedAddress == .required else { return .refused(.addressNotVerified) }
        return .unverified(try await verified.begin(for: identity.id, identifier, request.exchange))
    }

    private func reserve(_ identifier: String, _ exchange: Exchange) async throws -> LimitReservation {
        let peer = exchange.peer
        let verdict = try await context.database.transaction { [limiter, networks] transaction in
            let isHome = try networks.contains(peer, of: identifier, at: exchange.now, in: transaction)
            // What fails at home counts elsewhere too, but not the other way round.
            let account = LimitedEvent.failureOfAccount(identifier)
            return try limiter.reserve(
                [isHome ? .failureAtHome(identifier, peer) : account, .failureFromAddress(peer)],
                counting: isHome ? [account] : [],
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
        _ checked: Checked,
        _ reservation: LimitReservation
    ) async throws -> Outcome {
        let now = context.time.now
        let id = checked.identity.id
        do {
            let opened = try await context.database.transaction {
                [completion, limiter, networks] transaction in
                guard
                    try IdentityRepository.confirm(
                        id,
                        identifier: checked.identifier,
                        passwordHash: checked.hash,
                        in: transaction
                    )
                else { throw AccountChanged() }
                let opened = try completion.open(
                    request,
                    checked.identity,
                    by: "password",
                    .password,
                    at: now,
                    in: transaction
                )
                try networks.remember(request.exchange.peer, of: id, at: now, in: transaction)
                if let fresh = checked.fresh {
                    try IdentityRepository.rehash(
                        id,
                        from: checked.hash,
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
