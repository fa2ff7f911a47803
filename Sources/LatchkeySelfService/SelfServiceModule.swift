package import LatchkeyAccounts
package import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit

/// The self-service flows: login, registration, settings, recovery, verification and phone verification.
package struct SelfServiceModule: ServerModule {
    /// The settings of the module.
    package struct Settings: Sendable {
        package var flows = FlowSettings()
        package var registration = RegistrationSettings()
        package var login = LoginSettings()
        package var codes = CodeSettings()
        package var recovery = RecoverySettings()
        package var verification = VerificationSettings()
        package var changes = AccountChangeSettings()
        package var courier = CourierSettings()

        package init() {}
    }

    package static var migrations: [Migration] { .selfService }

    /// - Parameter random: The source of the random values that replace invalidated codes.
    package static func accountData(random: any RandomSource) -> any AccountDataPart {
        SelfServiceData(random: random)
    }

    package let routes: [Endpoint]
    package let settings: Settings
    /// Stores flows, including those for recovery codes that operators create.
    package let flows: FlowRepository
    /// Creates, looks up, replaces and stores all kinds of flows.
    package let lifecycle: FlowLifecycle
    /// The keys for one-time codes, including the recovery codes that operators create.
    package let codeKeys: CodeKeys

    /// Creates the services.
    ///
    /// - Parameters:
    ///   - methods: The ways to enter an account that are enabled.
    ///   - texts: The translations of forms.
    package init(
        _ environment: ServerEnvironment,
        settings: Settings,
        accounts: AccountsModule,
        methods: SignInMethods,
        texts: FormTranslations,
        metrics: FlowMetrics
    ) {
        self.settings = settings
        let (urls, database) = (environment.urls, environment.database)
        let (time, random) = (environment.time, environment.random)
        let (schemas, hasher, authenticator) = (accounts.schemas, accounts.hasher, accounts.authenticator)
        let (courier, messages, notices) = (accounts.courier, accounts.messages, accounts.notices)
        let (limiter, networks, audit) = (accounts.limiter, accounts.networks, accounts.audit)
        let (identities, breaches, writer) = (accounts.identities, accounts.breaches, accounts.writer)
        let forms = FormSettings(
            passwords: accounts.passwordSettings,
            codes: settings.codes,
            registration: settings.registration,
            mail: settings.courier.mail
        )
        flows = FlowRepository(
            database: database,
            settings: settings.flows,
            schemas: schemas,
            urls: urls,
            secrets: environment.secrets
        )
        let flowWriter = FlowWriter(
            settings: forms,
            urls: urls,
            defaultReturnURL: settings.flows.defaultReturnURL,
            schemas: schemas,
            identities: writer,
            texts: texts,
            fresh: InitialForms(of: schemas, settings: forms, in: texts)
        )
        let responder = APIFlowResponder(flows: flowWriter, identities: writer, urls: urls)
        lifecycle = FlowLifecycle(
            flows: flows,
            returnURLs: ReturnURLs(settings.flows.returnURLs),
            language: settings.courier.language,
            urls: urls,
            metrics: metrics,
            random: random,
            schemas: schemas,
            limiter: limiter,
            database: database
        )
        codeKeys = CodeKeys(secrets: environment.secrets)
        let codeLimits = CodeLimits(
            limiter,
            known: networks,
            texts: settings.courier.kind == .development
                ? nil : TextMessagePolicy(callingCodes: settings.courier.callingCodes)
        )
        let passwordLimits = accounts.passwordLimits
        let sender = CodeSender(
            keys: codeKeys,
            limits: codeLimits,
            courier: courier,
            codeSettings: settings.codes,
            random: random,
            messages: messages,
            database: database
        )
        let verifier = CodeVerifier(
            keys: codeKeys,
            limits: codeLimits,
            limiter: limiter,
            codeSettings: settings.codes,
            audit: audit,
            random: random
        )
        let prover = AddressProver(notices: notices, schemas: schemas, audit: audit, data: accounts.data)
        let verifications = VerificationStarter(
            lifecycle: lifecycle,
            sender: sender,
            verification: settings.verification
        )
        let challenge = AddressChallenge(lifecycle: lifecycle, identities: identities, sender: sender)
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
            sessionSettings: accounts.sessionSettings,
            random: random,
            schemas: schemas
        )
        let registrationCompletion = RegistrationCompletion(
            verifications: verifications,
            prover: prover,
            networks: networks,
            passwordLimits: passwordLimits,
            deletion: accounts.deletion,
            settings: settings.registration,
            codeSettings: settings.codes,
            sessionSettings: accounts.sessionSettings,
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
                    decoys: DecoyHashes(secrets: environment.secrets),
                    networks: networks,
                    limits: passwordLimits,
                    verified: VerifiedAddressCheck(
                        verifications: verifications,
                        identities: identities,
                        settings: settings.login,
                        database: database,
                        time: time
                    ),
                    settings: settings.login,
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
                    codeSettings: settings.codes,
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
                    settings: settings.registration,
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
                        settings: settings.registration,
                        codeSettings: settings.codes,
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
                    verification: settings.verification,
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
                        sessionSettings: accounts.sessionSettings,
                        random: random,
                        schemas: schemas,
                        audit: audit
                    ),
                    prover: prover,
                    settings: settings.recovery,
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
                        settings: settings.changes,
                        verification: settings.verification,
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
                        maximumLength: accounts.passwordSettings.maximumLength,
                        settings: settings.changes,
                        database: database,
                        hasher: hasher,
                        time: time,
                        random: random,
                        audit: audit
                    ),
                    sessionSettings: accounts.sessionSettings,
                    schemas: schemas,
                    time: time
                ),
                lifecycle: lifecycle,
                responder: responder
            ).endpoints
        routes +=
            PhoneVerification(
                flows: flows,
                lifecycle: lifecycle,
                codes: PhoneVerifier(
                    sender: sender,
                    verifier: verifier,
                    courierSettings: settings.courier,
                    database: database
                )
            ).endpoints
        self.routes = routes
    }

    package var expiredRows: [ExpiredRows] {
        // Anyone can create flows without an account, so they are deleted soon.
        let unfinishedRetention: Duration = .seconds(600)
        // In case a client returns late.
        let retention: Duration = .seconds(86_400)
        return [
            ExpiredRows(.flows) { now, limit, transaction in
                try FlowRepository.deleteExpired(
                    .unfinished,
                    before: now - unfinishedRetention,
                    atMost: limit,
                    in: transaction
                )
            },
            ExpiredRows(.flows) { now, limit, transaction in
                try FlowRepository.deleteExpired(
                    .all,
                    before: now - retention,
                    atMost: limit,
                    in: transaction
                )
            },
            ExpiredRows(.codes) { now, limit, transaction in
                try CodeRepository.deleteExpired(before: now - retention, atMost: limit, in: transaction)
            },
        ]
    }
}

extension ExpiredRows.Kind {
    /// Flows, which are deleted together with their codes.
    package static let flows: Self = "flows"
    /// Codes without a flow.
    package static let codes: Self = "codes"
}
