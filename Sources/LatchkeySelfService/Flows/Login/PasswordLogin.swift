package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Checks passwords and opens sessions.
///
/// Logins to known and unknown accounts cost the same, with the same reads, a hash of equal cost, and the
/// same transactions.
package struct PasswordLogin: Sendable {
    /// The outcome of an attempt.
    enum Outcome: Sendable {
        /// The password was correct; the session was opened or extended.
        case session(LoginCompletion.Opened)
        /// The login was rejected; it counts as a failure unless only a verification is missing.
        case refused(UIMessage)

        /// The password was correct, but an address must be verified before the login; the codes are
        /// enqueued.
        case unverified([VerificationStarter.Begun])
    }

    /// The account was changed between the password check and the login.
    private struct AccountChanged: Error {}

    /// An account, and the hash that matched the password.
    private struct Checked: Sendable {
        /// The account as it was read before the password was checked.
        let identity: IdentityRecord
        /// The normalized identifier, which the account must still have.
        let identifier: String

        /// The hash against which the password was checked.
        let hash: String

        /// A hash with the configured parameters that replaces an outdated one; `nil` if the hash is current.
        let fresh: String?
    }

    private let settings: LoginSettings
    private let audit: AuditLog
    private let hasher: any PasswordHasher
    private let database: any Database
    private let time: any TimeSource
    private let identities: IdentityRepository
    private let completion: LoginCompletion
    private let decoys: DecoyHashes
    private let limits: PasswordLimits
    private let networks: KnownNetworks
    private let verified: VerifiedAddressCheck

    package init(
        identities: IdentityRepository,
        completion: LoginCompletion,
        decoys: DecoyHashes,
        networks: KnownNetworks,
        limits: PasswordLimits,
        verified: VerifiedAddressCheck,
        settings: LoginSettings,
        audit: AuditLog,
        hasher: any PasswordHasher,
        database: any Database,
        time: any TimeSource
    ) {
        self.identities = identities
        self.completion = completion
        self.decoys = decoys
        self.networks = networks
        self.verified = verified
        self.settings = settings
        self.audit = audit
        self.hasher = hasher
        self.database = database
        self.time = time
        self.limits = limits
    }

    /// Counts the login as a failure, checks the password, and undoes the failure if the password is correct.
    ///
    /// The password is hashed outside of any transaction. The transaction that opens the session therefore
    /// checks again whether the account still has the identifier and the hash. If it does not, the login is
    /// rejected as if the password were wrong.
    ///
    /// - Parameters:
    ///   - request: The inputs of the login.
    ///   - identifier: The submitted identifier, not yet normalized.
    ///   - password: The submitted password.
    /// - Returns: The session, or the reason for the rejection.
    /// - Throws: 429 if the account or the network has reached its limit for failures;
    ///   ``PasswordHasherError``, in which case the login is not counted; ``FlowEnded``.
    func attempt(_ request: LoginCompletion.Request, identifier: String, password: Secret) async throws
        -> Outcome
    {
        let identifier = LoginIdentifier.normalize(identifier)
        let (account, decoy) = try await identities.findForPassword(
            identifier: identifier,
            decoyFrom: decoys.point(for: identifier)
        )
        let attempt = try await reserve(
            account.map { .identity($0.identity.id) } ?? .unknown(identifier: identifier),
            in: request.context
        )
        let verdict: PasswordVerdict
        do {
            verdict = try await hasher.verify(password, against: account?.passwordHash ?? decoy)
        } catch {
            // The password was not checked, and an overloaded server must not use up the user's attempts.
            try await giveBack(attempt)
            throw error
        }
        let hash = account?.passwordHash
        let isRight = if case .right = verdict { hash != nil } else { false }
        let isActive = account?.identity.isActive ?? false
        var facts = PasswordLoginDecision.Facts(verdict: isRight ? verdict : .wrong, isActive: isActive)
        if let account, isRight, isActive {
            facts.lacksVerifiedAddress = try await verified.isMissing(
                for: account.identity.id,
                identifier: identifier
            )
        }
        let decision = PasswordLoginDecision(facts, rule: settings.verifiedAddress)
        guard let account, let hash, decision != .refuse else {
            if attempt.isFirst {
                try await record(account?.identity.id, tried: identifier, in: request.context)
            }
            return .refused(.invalidCredentials)
        }
        switch decision {
        case .refuse, .disabled: return .refused(.identityDisabled)
        case .refuseUnverified:
            try await giveBack(attempt)
            return .refused(.addressNotVerified)
        case .verify:
            try await giveBack(attempt)
            let id = account.identity.id
            return .unverified(
                try await verified.begin(for: id, identifier: identifier, in: request.context)
            )
        case .open(let rehashes):
            let checked = Checked(
                identity: account.identity,
                identifier: identifier,
                hash: hash,
                fresh: rehashes ? try? await hasher.hash(password) : nil
            )
            return try await open(request, for: checked, attempt: attempt)
        }
    }

    /// Counts the login as a failure; throws 429 if the limit is reached.
    private func reserve(_ account: LimitedAccount, in context: RequestContext) async throws
        -> PasswordLimits.Attempt
    {
        let verdict = try await database.transaction { [limits] transaction in
            try limits.reserve(account, from: context.peer, at: context.now, in: transaction)
        }
        switch verdict {
        case .allowed(let attempt): return attempt
        case .refused(let retryAfter): throw ServerError.tooManyRequests(retryAfter: retryAfter)
        }
    }

    /// Writes a failed login to the audit log, under the nil UUID if there is no account.
    ///
    /// Called only for the account's first failure from a network within an hour.
    private func record(_ identity: Identifier?, tried identifier: String, in context: RequestContext)
        async throws
    {
        let event = audit.event(
            .loginFailed,
            of: identity ?? .nilUUID,
            in: context,
            about: audit.hash(identifier),
            at: context.now
        )
        try await database.transaction { try AuditLog.append(event, in: $0) }
    }

    /// Reverses the failure that the attempt was counted as.
    private func giveBack(_ attempt: PasswordLimits.Attempt) async throws {
        try await database.transaction { [limits] transaction in
            try limits.giveBack(attempt, in: transaction)
        }
    }

    /// Completes the login if the account still has the identifier and the hash that were checked.
    ///
    /// An outdated hash is replaced.
    private func open(
        _ request: LoginCompletion.Request,
        for checked: Checked,
        attempt: PasswordLimits.Attempt
    ) async throws -> Outcome {
        let now = time.now
        let id = checked.identity.id
        do {
            let opened = try await database.transaction {
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
                    for: checked.identity,
                    by: .password,
                    evidence: .password,
                    at: now,
                    in: transaction
                )
                try networks.remember(request.context.peer, of: id, at: now, in: transaction)
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
        } catch is AccountChanged {
            return .refused(.invalidCredentials)
        }
    }
}
