import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Sets an identity's first password or changes its current one.
struct PasswordChange: FlowMethod {
    private let settings: AccountChangeSettings
    private let database: any Database
    private let hasher: any PasswordHasher
    private let time: any TimeSource
    private let random: any RandomSource
    private let audit: AuditLog
    private let notices: AccountNotices
    private let limiter: Limiter
    private let networks: KnownNetworks
    private let passwordLimits: PasswordLimits
    private let breaches: BreachCheck
    private let maximumLength: Int
    private let data: AccountData
    private let completion: SettingsCompletion

    let form: PasswordChangeForm

    init(_ services: MethodServices) {
        let (environment, accounts) = (services.environment, services.accounts)
        form = PasswordChangeForm(settings: services.forms)
        completion = SettingsCompletion(services)
        settings = services.settings.changes
        data = accounts.data
        maximumLength = services.forms.maximumPasswordLength
        notices = accounts.notices
        limiter = accounts.limiter
        networks = accounts.networks
        passwordLimits = accounts.passwordLimits
        breaches = accounts.breaches
        hasher = accounts.hasher
        audit = accounts.audit
        database = environment.database
        time = environment.time
        random = environment.random
    }

    func perform(_ input: Secret, in context: FlowContext) async throws -> FlowOutcome {
        let request = try completion.request(context)
        var outcome = try await change(to: input, for: request)
        if case .refused(let form) = outcome { outcome = .refused(form.over(context.form)) }
        return try await completion.outcome(of: outcome, in: context, by: form.name)
    }

    /// Sets the password and notifies the user.
    ///
    /// If configured, the account's other sessions are revoked.
    ///
    /// The account's open codes are invalidated, and its known networks are forgotten except for the
    /// caller's. The session must be privileged, which is checked before the password. Because hashing takes
    /// time, the session and the old password are checked again in the transaction.
    ///
    /// - Parameters:
    ///   - password: The new password, which hasn't been checked against the policy yet.
    ///   - request: The request, whose session must be privileged.
    /// - Returns: The outcome. If the password isn't acceptable, the password field shows a message.
    /// - Throws: A ``ServerError`` with status 429 if the account was changed too often, or 503 if the
    ///   password cannot be checked against known breaches. Also throws ``PasswordHasherError``.
    func change(to password: Secret, for request: SettingsRequest) async throws -> SettingsOutcome {
        // No rate limit applies to requests with an unprivileged session, so we reject them without starting
        // a transaction.
        guard request.isPrivileged else { return .needsRefresh }
        let id = request.session.identityID
        let (found, oldHash, evidence) = try await database.transaction { transaction in
            (
                try IdentityRepository.load(id, in: transaction),
                try IdentityRepository.passwordHash(of: id, in: transaction),
                try SessionRepository.evidence(of: request.session.id, in: transaction)
            )
        }
        guard let identity = found else { return .sessionOver }
        let facts = PasswordChangeDecision.Facts(
            isPrivileged: request.isPrivileged,
            isActive: identity.state == .active,
            hasPassword: oldHash != nil,
            allowsReplacement: evidence.allowsNewPassword(proven: identity.provenAddresses)
        )
        if let outcome = Self.outcome(of: PasswordChangeDecision(facts)) { return outcome }
        let policy = PasswordPolicy(request.schema.policy, maximumLength: maximumLength)
        if let refusal = policy.refusal(of: password, identifiers: identity.identifiers) {
            return .refused(Self.form(UIMessage(refusal)))
        }
        if let refusal = try await breaches.refusal(of: password) {
            return .refused(Self.form(UIMessage(refusal)))
        }
        // Failed changes are counted too, because each attempt requires two hashes.
        try await limiter.require([.accountChange(id)], at: request.context.now, in: database)
        if let oldHash, case .right = try await hasher.verify(password, against: oldHash) {
            return .refused(Self.form(.passwordUnchanged))
        }
        let hash = try await hasher.hash(password)
        let now = time.now
        return try await database.transaction { [data] transaction in
            // The session may have ended while the two hashes were waiting or being computed.
            let isOpen = try request.isStillOpen(in: transaction)
            let late = PasswordChangeDecision.LateFacts(
                isOpen: isOpen,
                isPrivileged: try isOpen && request.isStillPrivileged(in: transaction),
                hasSamePassword: try IdentityRepository.passwordHash(of: id, in: transaction) == oldHash
            )
            if let outcome = Self.outcome(of: PasswordChangeDecision(late: late)) { return outcome }
            try IdentityRepository.setPassword(hash, of: id, at: now, in: transaction)
            try OpenCodes.void(
                of: id,
                except: request.flow.id,
                at: now,
                random: random,
                in: transaction
            )
            try networks.forgetOthers(than: request.context.peer, of: id, at: now, in: transaction)
            try passwordLimits.endWaits(of: id, at: now, in: transaction)
            try data.endGrants(of: id, at: now, in: transaction)
            if settings.newPasswordEndsSessions {
                _ = try SessionRepository.revokeOthers(
                    than: request.session.id,
                    of: id,
                    at: now,
                    in: transaction
                )
            }
            let event = audit.event(.passwordChanged, of: id, in: request.context, at: now)
            try AuditLog.append(event, in: transaction)
            try notices.send(
                .passwordChanged,
                to: identity,
                for: request.context,
                in: transaction
            )
            return .saved(identity.record, [])
        }
    }

    /// Returns the outcome for a decision, or `nil` if the change may proceed.
    private static func outcome(of decision: PasswordChangeDecision) -> SettingsOutcome? {
        switch decision {
        case .proceed: nil
        case .refresh: .needsRefresh
        case .end: .sessionOver
        case .refuse(let message): .refused(Form(messages: [message]))
        }
    }

    /// Returns a form that shows a message about the password.
    private static func form(_ refusal: UIMessage) -> Form {
        var form = Form()
        form.refuse("password", with: refusal)
        return form
    }
}
