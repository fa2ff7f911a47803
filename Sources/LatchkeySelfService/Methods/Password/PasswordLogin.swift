import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Logs in with a password.
///
/// Logins to known and unknown accounts take the same amount of work: the same reads, a hash of the same
/// cost, and the same transactions.
struct PasswordLogin: FlowMethod {
    /// The outcome of trying to log in with a password.
    enum Outcome: Sendable {
        /// The password was correct, and a session was created or extended.
        case session(LoginCompletion.Opened)
        case refused(UIMessage)

        /// The password was correct, but the user must verify an address first. The verification codes have
        /// been enqueued.
        case unverified([VerificationStarter.Begun])
    }

    /// Thrown if the account was changed between the password check and the login.
    private struct AccountChanged: Error {}

    /// An account for which the user has entered the correct password.
    private struct Checked: Sendable {
        /// The account as it was before the password was checked.
        let identity: IdentityRecord
        /// The normalized identifier.
        ///
        /// The login is rejected if the identifier no longer belongs to the account by the time it is
        /// completed.
        let identifier: String

        let password: Secret

        /// The hash that the password was checked against.
        let hash: String

        /// Whether the hash was created with parameters that differ from the configured ones.
        let isOutdated: Bool
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
    private let lifecycle: FlowLifecycle

    let form: PasswordLoginForm

    init(_ services: MethodServices) {
        let (environment, accounts) = (services.environment, services.accounts)
        form = PasswordLoginForm(settings: services.forms)
        settings = services.settings.login
        lifecycle = services.lifecycle
        completion = services.login
        identities = accounts.identities
        decoys = DecoyHashes(secrets: environment.secrets)
        networks = accounts.networks
        limits = accounts.passwordLimits
        audit = accounts.audit
        hasher = accounts.hasher
        database = environment.database
        time = environment.time
        verified = VerifiedAddressCheck(
            lifecycle: services.lifecycle,
            verifications: services.verifications,
            identities: accounts.identities,
            settings: services.settings.login,
            database: environment.database,
            time: environment.time
        )
    }

    func perform(_ input: PasswordLoginForm.Input, in context: FlowContext) async throws -> FlowOutcome {
        let request = try LoginCompletion.Request(context)
        switch try await attempt(request, identifier: input.identifier, password: input.password) {
        case .session(let opened): return .loggedIn(opened)
        case .unverified(let begun):
            return .unverified(context.flow, continuation: begun.map(\.continuation))
        case .refused(let message):
            // Hashing a password may have taken a while, so this isn't the time of the request.
            return try await lifecycle.refuse(
                context.flow,
                with: input.form.with(message),
                at: time.now,
                from: context.request.peer,
                isCounted: true
            )
        }
    }

    /// Counts the login as a failure, checks the password, and undoes the count if the password is correct.
    ///
    /// The password is hashed outside of any transaction. The transaction that creates the session therefore
    /// checks again that the account still has the identifier and the hash. If the account has changed, the
    /// login is rejected with the message for a wrong password.
    ///
    /// If a login is rejected even though the password is correct, it counts as a failure only if the account
    /// is disabled.
    ///
    /// - Parameters:
    ///   - request: The login request.
    ///   - identifier: The submitted identifier, before normalization.
    ///   - password: The submitted password.
    /// - Returns: The session, or the reason for the rejection.
    /// - Throws: A ``ServerError`` with status 429 if there have been too many failed logins for the account
    ///   or the network. Throws ``FlowEnded`` if the flow has ended. Throws ``PasswordHasherError`` if the
    ///   password cannot be checked; in that case, the login isn't counted.
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
            // The password wasn't checked, for example because the server is overloaded, so the attempt must
            // not count.
            try await giveBack(attempt)
            throw error
        }
        guard case .right(let isOutdated) = verdict, let account, let hash = account.passwordHash else {
            if attempt.isFirst {
                try await audit.recordWrongPassword(
                    of: account?.identity.id,
                    tried: identifier,
                    in: request.context,
                    database: database
                )
            }
            return .refused(.invalidCredentials)
        }
        let checked = Checked(
            identity: account.identity,
            identifier: identifier,
            password: password,
            hash: hash,
            isOutdated: isOutdated
        )
        do {
            return try await complete(request, for: checked, attempt: attempt)
        } catch {
            // The password was correct, so a later error must not use up one of the user's attempts.
            try? await giveBack(attempt)
            guard error is AccountChanged else { throw error }
            return .refused(.invalidCredentials)
        }
    }

    /// Decides whether a login with the correct password is allowed, and completes it.
    ///
    /// - Returns: The outcome. If the account is disabled, the attempt is still counted as failed.
    /// - Throws: ``AccountChanged`` if the account no longer has the checked password or identifier,
    ///   ``FlowEnded`` if the flow has ended, or ``DatabaseError``. If an error is thrown, the attempt is
    ///   still counted as failed.
    private func complete(
        _ request: LoginCompletion.Request,
        for checked: Checked,
        attempt: PasswordLimits.Attempt
    ) async throws -> Outcome {
        let identity = checked.identity
        var facts = PasswordLoginDecision.Facts(isOutdated: checked.isOutdated, isActive: identity.isActive)
        if facts.isActive {
            facts.lacksVerifiedAddress = try await verified.isMissing(
                for: identity.id,
                identifier: checked.identifier
            )
        }
        switch PasswordLoginDecision(facts, rule: settings.verifiedAddress) {
        case .disabled: return .refused(.identityDisabled)
        case .refuseUnverified:
            try await giveBack(attempt)
            return .refused(.addressNotVerified)
        case .verify:
            let begun = try await verified.begin(
                for: identity.id,
                identifier: checked.identifier,
                in: request.context,
                flow: request.flow
            )
            try await giveBack(attempt)
            return .unverified(begun)
        case .open(let rehashes):
            let fresh = rehashes ? try? await hasher.hash(checked.password) : nil
            return .session(try await open(request, for: checked, rehashedTo: fresh, attempt: attempt))
        }
    }

    /// Counts the login as a failed attempt.
    ///
    /// Throws a ``ServerError`` with status 429 if the limit has been reached.
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

    /// Withdraws an attempt, so that the limits no longer count it as a failure.
    private func giveBack(_ attempt: PasswordLimits.Attempt) async throws {
        try await database.transaction { [limits] transaction in
            try limits.giveBack(attempt, in: transaction)
        }
    }

    /// Completes the login if the account still has the identifier and hash that were checked.
    ///
    /// - Parameters:
    ///   - request: The login request.
    ///   - checked: The account, with the identifier and hash that were checked.
    ///   - fresh: A hash with the configured parameters that replaces an outdated one, or `nil` to keep the
    ///     current hash.
    ///   - attempt: The attempt, which no longer counts as a failure once the login is completed.
    /// - Returns: The session.
    /// - Throws: ``AccountChanged`` if the account no longer has the checked password or identifier,
    ///   ``FlowEnded`` if the flow has ended, or ``DatabaseError``.
    private func open(
        _ request: LoginCompletion.Request,
        for checked: Checked,
        rehashedTo fresh: String?,
        attempt: PasswordLimits.Attempt
    ) async throws -> LoginCompletion.Opened {
        let now = time.now
        let id = checked.identity.id
        return try await database.transaction { [completion, limits, networks] transaction in
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
            if let fresh {
                try IdentityRepository.rehash(id, from: checked.hash, to: fresh, in: transaction)
            }
            try limits.succeeded(attempt, at: now, in: transaction)
            return opened
        }
    }
}
