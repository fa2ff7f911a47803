import LatchkeyModel
import LatchkeyWire

/// Checks a password and opens a session.
///
/// A known and an unknown account cost the same: the same reads, a hash of the same costs, the same transactions.
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
    private let decoys: DecoyHashes
    private let limits: PasswordLimits
    private let networks: KnownNetworks
    private let verified: VerifiedAddressCheck

    init(_ context: ServerContext, courier: Courier) {
        self.context = context
        identities = IdentityRepository(context)
        completion = LoginCompletion(context)
        decoys = DecoyHashes(context)
        networks = KnownNetworks(context)
        limits = PasswordLimits(Limiter(context), known: networks)
        verified = VerifiedAddressCheck(context, courier: courier)
    }

    /// Counts the login as a failure, checks the password, and takes the failure back if the password is right.
    func attempt(_ request: LoginCompletion.Request, identifier: String, _ password: Secret) async throws
        -> Outcome
    {
        let identifier = LoginIdentifier.normalize(identifier)
        let (account, decoy) = try await identities.findForPassword(
            identifier: identifier,
            decoyFrom: decoys.point(for: identifier)
        )
        let attempt = try await reserve(
            account.map { .identity($0.identity.id) } ?? .unknown(identifier: identifier),
            in: request.exchange
        )
        let verdict: PasswordVerdict
        do {
            verdict = try await context.hasher.verify(password, against: account?.passwordHash ?? decoy)
        } catch {
            // The password was not checked: the user must not be charged for an overloaded server.
            try await giveBack(attempt)
            throw error
        }
        guard let account, let hash = account.passwordHash, case .right(let outdated) = verdict else {
            if attempt.isFirst {
                try await record(account?.identity.id, tried: identifier, in: request.exchange)
            }
            return .refused(.invalidCredentials)
        }
        guard account.identity.isActive else { return .refused(.identityDisabled) }
        if let refusal = try await refusal(of: account.identity, identifier, request, attempt) {
            return refusal
        }
        let fresh = outdated ? try? await context.hasher.hash(password) : nil
        let checked = Checked(identity: account.identity, identifier: identifier, hash: hash, fresh: fresh)
        return try await open(request, checked, attempt)
    }

    /// Refuses a login with the right password while no address is verified; it was no failed attempt.
    private func refusal(
        of identity: IdentityRecord,
        _ identifier: String,
        _ request: LoginCompletion.Request,
        _ attempt: PasswordLimits.Attempt
    ) async throws -> Outcome? {
        guard try await verified.isMissing(identity.id, identifier) else { return nil }
        try await giveBack(attempt)
        guard context.settings.verifiedAddress == .required else { return .refused(.addressNotVerified) }
        return .unverified(try await verified.begin(for: identity.id, identifier, request.exchange))
    }

    private func reserve(_ account: LimitedAccount, in exchange: Exchange) async throws
        -> PasswordLimits.Attempt
    {
        let verdict = try await context.database.transaction { [limits] transaction in
            try limits.reserve(account, from: exchange.peer, at: exchange.now, in: transaction)
        }
        switch verdict {
        case .allowed(let attempt): return attempt
        case .refused(let retryAfter): throw ServerError.tooManyRequests(retryAfter: retryAfter)
        }
    }

    /// Writes a wrong password to the audit log, whether or not there is an account.
    private func record(_ identity: Identifier?, tried identifier: String, in exchange: Exchange) async throws
    {
        let event = context.event(
            .loginFailed,
            of: identity ?? .nilUUID,
            in: exchange,
            about: context.auditTrace.hash(identifier),
            at: exchange.now
        )
        try await context.database.transaction { try AuditLog.append(event, in: $0) }
    }

    private func giveBack(_ attempt: PasswordLimits.Attempt) async throws {
        try await context.database.transaction { [limits] transaction in
            try limits.giveBack(attempt, in: transaction)
        }
    }

    private func open(
        _ request: LoginCompletion.Request,
        _ checked: Checked,
        _ attempt: PasswordLimits.Attempt
    ) async throws -> Outcome {
        let now = context.time.now
        let id = checked.identity.id
        do {
            let opened = try await context.database.transaction {
                [completion, limits, networks] transaction in
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
                try limits.succeeded(attempt, at: now, in: transaction)
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
