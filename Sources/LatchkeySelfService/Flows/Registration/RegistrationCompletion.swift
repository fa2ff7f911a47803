import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Completes a registration flow, and creates the identity, its session and its verification codes in one
/// transaction.
package struct RegistrationCompletion: Sendable {
    /// The input for the last step of a registration.
    struct Request: Sendable {
        /// The request.
        ///
        /// A new session stores its client address and user agent.
        let context: RequestContext
        /// The flow as it was read before the transaction, including its verified phone number and its proven
        /// addresses.
        var flow: Flow
        /// The identity schema of the flow, which the new identity uses as well.
        let schema: IdentitySchema
        /// The validated and normalized traits.
        let traits: Traits
        /// The answers to the documents of the flow.
        let answers: [FlowAnswer]

        /// The session of a browser whose user signs up with another account, or `nil` if there is none.
        let present: Session?

        /// The key that the client has proven it possesses, if any.
        let key: KeyBinding

        /// - Throws: ``ServerError`` with status 400 if the proof of possession in the request is invalid.
        init(
            _ context: FlowContext,
            traits: Traits,
            answers: [FlowAnswer] = []
        ) throws(ServerError) {
            self.context = context.request
            flow = context.flow
            schema = context.schema
            self.traits = traits
            self.answers = answers
            present = context.session?.session
            key = try KeyBinding(context.request)
        }

        /// Whether a document of the flow has no answer.
        var lacksAnswers: Bool { answers.count < flow.terms?.items.count ?? 0 }
    }

    /// The credential or address that the registration has proven.
    struct Proof: Sendable {
        /// The registration method, with the name that Kratos uses.
        let method: AuthenticationMethod

        /// The hash of the new password, or `nil` if the user registers with a code.
        var passwordHash: String?

        /// The address that the code was sent to, or `nil` if the user registers with a password.
        var address: ContactAddress?
    }

    /// The result of a successful registration.
    package struct Registered: Sendable {
        /// The new identity, or the existing one that the caller was logged in to.
        let identity: IdentityRecord

        /// The session and its token, or `nil` if registrations are configured not to create a session
        /// or the sign-up ends with a mailed link.
        let session: (Session, SessionToken)?

        /// The registration method, with the name that Kratos uses.
        let method: AuthenticationMethod

        /// The verifications that were started for unverified addresses.
        ///
        /// The codes are already in the outbox.
        let verifications: [VerificationStarter.Begun]

        /// The completed flow.
        let flow: Flow
    }

    private let settings: RegistrationSettings
    private let codeSettings: CodeSettings
    private let sessionSettings: SessionSettings
    private let random: any RandomSource
    private let audit: AuditLog
    private let schemas: SchemaCatalog
    private let verifications: VerificationStarter
    private let prover: AddressProver
    private let networks: KnownNetworks
    private let passwordLimits: PasswordLimits
    private let deletion: AccountDeletion
    private let lifecycle: FlowLifecycle
    private let recorder: AnswerRecorder

    init(
        lifecycle: FlowLifecycle,
        verifications: VerificationStarter,
        prover: AddressProver,
        networks: KnownNetworks,
        passwordLimits: PasswordLimits,
        deletion: AccountDeletion,
        settings: RegistrationSettings,
        codeSettings: CodeSettings,
        sessionSettings: SessionSettings,
        random: any RandomSource,
        audit: AuditLog,
        schemas: SchemaCatalog
    ) {
        self.lifecycle = lifecycle
        recorder = AnswerRecorder(audit: audit, random: random)
        self.verifications = verifications
        self.prover = prover
        self.networks = networks
        self.passwordLimits = passwordLimits
        self.deletion = deletion
        self.settings = settings
        self.codeSettings = codeSettings
        self.sessionSettings = sessionSettings
        self.random = random
        self.audit = audit
        self.schemas = schemas
    }

    /// Completes a registration after the password or code has been accepted.
    ///
    /// If the schema has a region, and the traits don't specify one that shares the calling code of the phone
    /// number, it is derived from the calling code.
    ///
    /// If the registration proves an address, the address is released from all accounts on which it is only
    /// claimed. The operator can configure what happens if the address that the code was sent to is already
    /// proven on another account. If that account accepts logins with codes, the caller may be logged in to
    /// it.
    ///
    /// - Parameters:
    ///   - request: The registration request.
    ///   - proof: The method, and the credential or address that was proven.
    ///   - now: The time of the registration.
    ///   - transaction: The transaction that verified the proof.
    /// - Returns: The new identity, or the existing one that the caller was logged in to.
    /// - Throws: ``FlowEnded``, or ``IdentityRepository/Duplicate`` if another account has one of the
    ///   identifiers or addresses. In both cases, the caller must roll back the transaction.
    func register(
        _ request: Request,
        with proof: Proof,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Registered {
        var flow = request.flow
        flow.active = proof.method.name
        flow.clearForm()
        guard try FlowRepository.complete(flow, at: now, in: transaction) else { throw FlowEnded() }
        let proven = Self.provenAddresses(of: request, with: proof)
        if let entered = try logIn(request, with: proof, at: now, in: transaction) { return entered }
        for address in proven {
            guard try prover.takeOver(address, in: request.context, at: now, in: transaction) else {
                throw IdentityRepository.Duplicate()
            }
        }
        let identity = Identity(
            schema: request.schema,
            traits: request.traits.settingRegion(for: request.schema),
            verified: Set(proven.map(\.value)),
            at: now,
            random: random
        )
        return try create(identity, for: request, with: proof, at: now, in: transaction)
    }

    /// Returns the addresses of the traits that the flow has proven, including the address that the last code
    /// was sent to.
    private static func provenAddresses(of request: Request, with proof: Proof) -> [ContactAddress] {
        request.traits.addresses
            .filter { $0 == proof.address || request.flow.hasProven($0) }
            .sorted { $0.value < $1.value }
    }

    /// Creates the identity and, if configured, its session and the verifications of its addresses.
    private func create(
        _ new: Identity,
        for request: Request,
        with proof: Proof,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Registered {
        var identity = new
        // A code that the app has entered proves the address, so no link is needed.
        let endsByLink = request.flow.endsByLink && proof.address == nil && new.provenAddresses.isEmpty
        let opening =
            settings.opensSession && !endsByLink
            ? try opening(of: identity, schema: request.schema, for: request, with: proof, at: now) : nil
        var begun: [VerificationStarter.Begun] = []
        if settings.sendsVerification || endsByLink {
            (identity, begun) = try verifications.begin(
                for: identity,
                boundTo: opening?.session.id,
                followsRegistration: true,
                sending: endsByLink ? .signUpLink : .verificationCode,
                returnTo: request.flow.type == .browser ? request.flow.returnTo : nil,
                loginChallenge: request.flow.loginChallenge,
                clientID: request.flow.clientID,
                in: request.context,
                type: request.flow.type,
                at: now,
                in: transaction
            )
        }
        try IdentityRepository.insert(identity, passwordHash: proof.passwordHash, in: transaction)
        if endsByLink {
            try IdentityRepository.setLapse(
                of: identity.id,
                at: lifecycle.lapse(ofAccountCreatedAt: now),
                in: transaction
            )
            try lifecycle.attachLink(of: request.flow, to: identity.id, at: now, in: transaction)
        }
        let event = audit.event(
            .created,
            of: identity.id,
            in: request.context,
            about: proof.method.name,
            at: now
        )
        try AuditLog.append(event, in: transaction)
        try networks.remember(request.context.peer, of: identity.id, at: now, in: transaction)
        if let opening { try insert(opening, for: request, at: now, in: transaction) }
        _ = try recorder.record(
            request.answers,
            of: identity.id,
            in: opening?.session.id,
            at: request.flow.clientID,
            for: request.context,
            in: transaction
        )
        return Registered(
            identity: identity.record,
            session: opening.map { ($0.session, $0.token) },
            method: proof.method,
            verifications: begun,
            flow: request.flow
        )
    }

    /// If logging in to existing accounts is enabled, logs the caller in to the account on which the address
    /// that the code was sent to is proven.
    ///
    /// - Returns: The account and its new session, or `nil` if the address isn't proven on any account or if
    ///   the account cannot log in with it.
    private func logIn(
        _ request: Request,
        with proof: Proof,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Registered? {
        guard
            settings.existingAccount == .logIn, codeSettings.isLoginEnabled,
            let address = proof.address, let id = try prover.owner(of: address, in: transaction)
        else { return nil }
        let verdict = try prover.prove(
            AddressProver.Request(
                address: address,
                identity: id,
                role: .login,
                proof: .entry,
                flow: request.flow.id,
                context: request.context
            ),
            at: now,
            in: transaction
        )
        guard case .granted(let identity) = verdict else { return nil }
        let opening = try opening(
            of: identity,
            schema: schemas[identity.schemaID],
            for: request,
            with: proof,
            at: now
        )
        let event = audit.event(.loggedIn, of: id, in: request.context, about: proof.method.name, at: now)
        try AuditLog.append(event, in: transaction)
        try networks.remember(request.context.peer, of: id, at: now, in: transaction)
        try passwordLimits.endWait(of: id, from: request.context.peer, at: now, in: transaction)
        try deletion.cancel(id, for: request.context, in: transaction)
        try insert(opening, for: request, at: now, in: transaction)
        return Registered(
            identity: identity.record,
            session: (opening.session, opening.token),
            method: proof.method,
            verifications: [],
            flow: request.flow
        )
    }

    /// Saves the new session, which replaces that of another user in the same browser.
    private func insert(
        _ opening: NewSession,
        for request: Request,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        let replaced = ReplacedSession(
            flow: request.flow,
            present: request.present,
            context: request.context
        )
        try replaced.end(by: opening.session.identityID, at: now, random: random, in: transaction)
        try SessionRepository.insert(opening, in: transaction)
    }

    /// Creates the session for a registration or login without saving it.
    private func opening(
        of identity: Identity,
        schema: IdentitySchema?,
        for request: Request,
        with proof: Proof,
        at now: Timestamp
    ) throws(AppRequired) -> NewSession {
        try NewSession(
            of: identity.id,
            by: proof.method,
            evidence: proof.evidence(in: request.flow),
            schema: schema,
            for: request.context,
            kind: request.flow.type.sessionKind,
            clientID: request.flow.clientID,
            keyThumbprint: request.key.keyThumbprint,
            at: now,
            settings: sessionSettings,
            random: random
        )
    }
}

extension RegistrationCompletion.Proof {
    /// Returns the credentials that the registration has proven, which are recorded with the session.
    fileprivate func evidence(in flow: Flow) -> SessionEvidence {
        var evidence = passwordHash == nil ? SessionEvidence() : .password
        evidence.addresses = Set(flow.provenAddresses)
        if let address { evidence.addresses.insert(address) }
        return evidence
    }
}
