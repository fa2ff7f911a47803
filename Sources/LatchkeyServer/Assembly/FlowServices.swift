import LatchkeyAccounts
import LatchkeyCourier
import LatchkeySelfService
import LatchkeyServerKit

/// The services that the self-service flows need.
struct FlowServices: Sendable {
    /// The endpoints of all flows.
    let routes: [Endpoint]

    /// Stores flows, including those for recovery codes that operators create.
    let repository: FlowRepository
    /// Creates, looks up, replaces and stores all kinds of flows.
    let lifecycle: FlowLifecycle
    /// The keys for one-time codes, including the recovery codes that operators create.
    let codeKeys: CodeKeys

    /// Creates the services.
    ///
    /// - Parameters:
    ///   - configuration: The server's configuration.
    ///   - urls: The URLs of the server.
    ///   - resources: The database and the other external resources.
    ///   - accounts: The services for accounts and sessions.
    ///   - authenticator: Looks up the caller's session based on the credentials in a request.
    init(
        _ configuration: ServerConfiguration,
        urls: ServerURLs,
        resources: ServerResources,
        accounts: AccountServices,
        authenticator: SessionAuthenticator
    ) {
        let (database, schemas) = (resources.database, resources.schemas)
        let (time, random, hasher) = (resources.time, resources.random, resources.hasher)
        let (courier, messages, notices) = (accounts.courier, accounts.messages, accounts.notices)
        let (limiter, networks, audit) = (accounts.limiter, accounts.networks, accounts.audit)
        let (identities, breaches, writer) = (accounts.identities, accounts.breaches, accounts.writer)
        let forms = FormSettings(
            passwords: configuration.passwords,
            codes: configuration.codes,
            registration: configuration.registration,
            mail: configuration.courier.mail
        )
        repository = FlowRepository(
            database: database,
            settings: configuration.flows,
            schemas: schemas,
            urls: urls,
            secrets: resources.secrets
        )
        let flowWriter = FlowWriter(
            settings: forms,
            urls: urls,
            defaultReturnURL: configuration.flows.defaultReturnURL,
            schemas: schemas,
            identities: writer,
            texts: resources.formTexts,
            fresh: InitialForms(of: schemas, settings: forms, in: resources.formTexts)
        )
        let responder = APIFlowResponder(flows: flowWriter, identities: writer, urls: urls)
        lifecycle = FlowLifecycle(
            flows: repository,
            returnURLs: ReturnURLs(configuration.flows.returnURLs),
            language: configuration.courier.language,
            urls: urls,
            metrics: resources.metrics.flows,
            random: random,
            schemas: schemas,
            limiter: limiter,
            database: database
        )
        codeKeys = CodeKeys(secrets: resources.secrets)
        let codeLimits = CodeLimits(
            limiter,
            known: networks,
            texts: configuration.courier.kind == .development
                ? nil : TextMessagePolicy(callingCodes: configuration.courier.callingCodes)
        )
        let passwordLimits = accounts.passwordLimits
        let sender = CodeSender(
            keys: codeKeys,
            limits: codeLimits,
            courier: courier,
            codeSettings: configuration.codes,
            random: random,
            messages: messages,
            database: database
        )
        let verifier = CodeVerifier(
            keys: codeKeys,
            limits: codeLimits,
            limiter: limiter,
            codeSettings: configuration.codes,
            audit: audit,
            random: random
        )
        let prover = AddressProver(notices: notices, schemas: schemas, audit: audit, data: accounts.data)
        let verifications = VerificationStarter(
            lifecycle: lifecycle,
            sender: sender,
            verification: configuration.verification
        )
        let challenge = AddressChallenge(lifecycle: lifecycle, identities: identities, sender: sender)
        let methods = configuration.signInMethods
        let changes = TraitChange(
            notices: notices,
            prover: prover,
            networks: networks,
            methods: methods,
            random: random,
            audit: audit,
            schemas: schemas
        )
        let loginCompletion = LoginCompletion(
            deletion: accounts.deletion,
            sessionSettings: configuration.sessions,
            random: random,
            schemas: schemas
        )
        let registrationCompletion = RegistrationCompletion(
            verifications: verifications,
            prover: prover,
            networks: networks,
            passwordLimits: passwordLimits,
            deletion: accounts.deletion,
            settings: configuration.registration,
            codeSettings: configuration.codes,
            sessionSettings: configuration.sessions,
            random: random,
            audit: audit,
            schemas: schemas
        )
        let claims = ClaimedAddresses(sender: sender, verifier: verifier)
        var routes = FlowEngine(
            LoginFlow(
                lifecycle: lifecycle,
                forms: forms,
                sessions: authenticator,
                identities: identities,
                passwords: PasswordLogin(
                    identities: identities,
                    completion: loginCompletion,
                    decoys: DecoyHashes(secrets: resources.secrets),
                    networks: networks,
                    limits: passwordLimits,
                    verified: VerifiedAddressCheck(
                        verifications: verifications,
                        identities: identities,
                        settings: configuration.login,
                        database: database,
                        time: time
                    ),
                    settings: configuration.login,
                    audit: audit,
                    hasher: hasher,
                    database: database,
                    time: time
                ),
                codes: CodeLogin(
                    lifecycle: lifecycle,
                    identities: identities,
                    sender: sender,
                    verifier: verifier,
                    completion: loginCompletion,
                    prover: prover,
                    networks: networks,
                    passwordLimits: passwordLimits,
                    schemas: schemas,
                    codeSettings: configuration.codes,
                    database: database,
                    time: time,
                    random: random
                ),
                schemas: schemas,
                time: time
            ),
            lifecycle: lifecycle,
            responder: responder
        ).endpoints
        routes +=
            FlowEngine(
                RegistrationFlow(
                    settings: configuration.registration,
                    lifecycle: lifecycle,
                    forms: forms,
                    sessions: authenticator,
                    passwords: PasswordRegistration(
                        completion: registrationCompletion,
                        claims: claims,
                        limiter: limiter,
                        breaches: breaches,
                        hasher: hasher,
                        time: time,
                        database: database
                    ),
                    codes: CodeRegistration(
                        lifecycle: lifecycle,
                        sender: sender,
                        verifier: verifier,
                        completion: registrationCompletion,
                        claims: claims,
                        database: database
                    ),
                    hints: LoginHints(
                        identities: identities,
                        settings: configuration.registration,
                        codeSettings: configuration.codes,
                        schemas: schemas
                    ),
                    schemas: schemas,
                    time: time
                ),
                lifecycle: lifecycle,
                responder: responder
            ).endpoints
        routes +=
            FlowEngine(
                VerificationFlow(
                    changes: changes,
                    lifecycle: lifecycle,
                    forms: forms,
                    challenge: challenge,
                    verifier: verifier,
                    sessions: authenticator,
                    prover: prover,
                    verification: configuration.verification,
                    schemas: schemas,
                    database: database,
                    random: random
                ),
                lifecycle: lifecycle,
                responder: responder
            ).endpoints
        routes +=
            FlowEngine(
                RecoveryFlow(
                    lifecycle: lifecycle,
                    forms: forms,
                    sessions: authenticator,
                    challenge: challenge,
                    verifier: verifier,
                    completion: RecoveryCompletion(
                        lifecycle: lifecycle,
                        notices: notices,
                        networks: networks,
                        passwordLimits: passwordLimits,
                        deletion: accounts.deletion,
                        sessionSettings: configuration.sessions,
                        random: random,
                        schemas: schemas,
                        audit: audit
                    ),
                    prover: prover,
                    settings: configuration.recovery,
                    schemas: schemas,
                    database: database
                ),
                lifecycle: lifecycle,
                responder: responder
            ).endpoints
        routes +=
            FlowEngine(
                SettingsFlow(
                    lifecycle: lifecycle,
                    forms: forms,
                    sessions: authenticator,
                    profile: ProfileChange(
                        changes: changes,
                        limiter: limiter,
                        verifications: verifications,
                        settings: configuration.changes,
                        verification: configuration.verification,
                        methods: methods,
                        database: database,
                        random: random
                    ),
                    passwords: PasswordChange(
                        notices: notices,
                        limiter: limiter,
                        networks: networks,
                        passwordLimits: passwordLimits,
                        breaches: breaches,
                        maximumLength: configuration.passwords.maximumLength,
                        settings: configuration.changes,
                        database: database,
                        hasher: hasher,
                        time: time,
                        random: random,
                        audit: audit
                    ),
                    sessionSettings: configuration.sessions,
                    schemas: schemas,
                    time: time
                ),
                lifecycle: lifecycle,
                responder: responder
            ).endpoints
        routes +=
            PhoneVerification(
                flows: repository,
                lifecycle: lifecycle,
                codes: PhoneVerifier(
                    sender: sender,
                    verifier: verifier,
                    courierSettings: configuration.courier,
                    database: database
                )
            ).endpoints
        self.routes = routes
    }
}
