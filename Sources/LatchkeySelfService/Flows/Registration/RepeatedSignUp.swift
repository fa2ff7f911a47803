import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Sends the mail of a sign-up by link again, if its user signs up another time with the same address and password.
///
/// The account isn't confirmed, so the user may not know that it exists. The answer is that of a new sign-up. A wrong
/// password counts as a failed login, so that the flow isn't a way to try more passwords.
struct RepeatedSignUp: Sendable {
    private let identities: IdentityRepository
    private let limits: PasswordLimits
    private let audit: AuditLog
    private let hasher: any PasswordHasher
    private let verifications: VerificationStarter
    private let lifecycle: FlowLifecycle
    private let database: any Database
    private let recorder: AnswerRecorder

    init(_ services: MethodServices) {
        identities = services.accounts.identities
        limits = services.accounts.passwordLimits
        audit = services.accounts.audit
        hasher = services.accounts.hasher
        verifications = services.verifications
        lifecycle = services.lifecycle
        database = services.environment.database
        recorder = AnswerRecorder(audit: services.accounts.audit, random: services.environment.random)
    }

    /// Sends the mail of the account that claims an address, if the password is that of the account.
    ///
    /// - Returns: The account with the verifications that were started, or `nil` if the password is wrong or the
    ///   account has been confirmed or has proven the address.
    /// - Throws: ``PasswordHasherError``, ``FlowEnded`` or ``DatabaseError``.
    func resend(
        _ request: RegistrationCompletion.Request,
        to address: ContactAddress,
        password: Secret
    ) async throws -> RegistrationCompletion.Registered? {
        guard let account = try await identities.find(identifier: address.value),
            let hash = account.passwordHash, account.identity.isActive
        else { return nil }
        let (context, id) = (request.context, account.identity.id)
        let reserved = try await database.transaction { [limits] transaction in
            try limits.reserve(.identity(id), from: context.peer, at: context.now, in: transaction)
        }
        // The answer doesn't reveal the attempts of others.
        guard case .allowed(let attempt) = reserved else { return nil }
        let verdict: PasswordVerdict
        do {
            verdict = try await hasher.verify(password, against: hash)
        } catch {
            try await database.transaction { [limits] in try limits.giveBack(attempt, in: $0) }
            throw error
        }
        guard case .right = verdict else {
            if attempt.isFirst {
                try await audit.recordWrongPassword(
                    of: id,
                    tried: address.value,
                    in: context,
                    database: database
                )
            }
            return nil
        }
        return try await database.transaction { [limits] transaction in
            try limits.giveBack(attempt, in: transaction)
            let isUnchanged = try IdentityRepository.confirm(
                id,
                identifier: address.value,
                passwordHash: hash,
                in: transaction
            )
            guard isUnchanged, let identity = try IdentityRepository.load(id, in: transaction),
                identity.confirmedAt == nil, !identity.isProven(address)
            else { return nil }
            return try begin(identity, for: request, in: transaction)
        }
    }

    private func begin(
        _ identity: Identity,
        for request: RegistrationCompletion.Request,
        in transaction: borrowing Transaction
    ) throws -> RegistrationCompletion.Registered {
        let (context, now) = (request.context, request.context.now)
        var flow = request.flow
        flow.active = AuthenticationMethod.password.name
        flow.clearForm()
        guard try FlowRepository.complete(flow, at: now, in: transaction) else { throw FlowEnded() }
        let (marked, begun) = try verifications.begin(
            for: identity,
            followsRegistration: true,
            sending: .signUpLink,
            loginChallenge: flow.loginChallenge,
            clientID: flow.clientID,
            in: context,
            type: flow.type,
            at: now,
            in: transaction
        )
        try IdentityRepository.save(marked, replacing: identity, in: transaction)
        try lifecycle.attachLink(of: flow, to: identity.id, at: now, in: transaction)
        try IdentityRepository.extendLapse(
            of: identity.id,
            to: lifecycle.lapse(ofAccountCreatedAt: now),
            in: transaction
        )
        _ = try recorder.record(
            request.answers,
            of: identity.id,
            in: nil,
            at: flow.clientID,
            for: context,
            in: transaction
        )
        return RegistrationCompletion.Registered(
            identity: marked.record,
            session: nil,
            method: .password,
            verifications: begun,
            flow: flow
        )
    }
}
