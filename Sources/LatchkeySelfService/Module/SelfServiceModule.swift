package import LatchkeyAccounts
import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit

/// The self-service flows (login, registration, settings, recovery, verification and phone verification), and terms.
package struct SelfServiceModule: ServerModule {
    package static var migrations: [Migration] { .selfService }

    /// The module's data about accounts, in which random values replace invalidated codes.
    package static func accountData(random: any RandomSource) -> any AccountDataPart {
        SelfServiceData(random: random)
    }

    /// The module's data about answers to documents.
    package static func termsData(trace: AuditTrace) -> any AccountDataPart { TermsData(trace: trace) }

    package let routes: [Endpoint]
    package let operatorRoutes: [Endpoint]
    package let workers: [any ServerWorker]
    package let metrics: [any MetricsSource]
    package let settings: SelfServiceSettings
    /// Stores flows, including those for recovery codes that operators create.
    package let flows: FlowRepository
    /// Creates, looks up, replaces and stores all kinds of flows.
    package let lifecycle: FlowLifecycle
    /// Shows flows on the server's own pages.
    package let hosted: HostedFlows
    /// The keys for one-time codes, including the recovery codes that operators create.
    package let codeKeys: CodeKeys

    /// Creates the services.
    ///
    /// Forms show the methods in the given order. The responder for native apps comes first. If the server has an
    /// OAuth provider, browser flows continue its authorization requests.
    package init(
        _ environment: ServerEnvironment,
        settings: SelfServiceSettings,
        accounts: AccountsModule,
        terms: TermsCatalog,
        evidence: EvidenceSigner,
        signIn: SignInMethods,
        texts: FormTranslations,
        methods: [any SignInMethod.Type] = .builtIn,
        responders: [any FlowResponder.Type] = .builtIn,
        authorization: (any AuthorizationContinuation)? = nil
    ) {
        let (database, random, schemas) = (environment.database, environment.random, accounts.schemas)
        self.settings = settings
        var formSettings = FormSettings(
            passwords: accounts.passwordSettings,
            codes: settings.codes,
            registration: settings.registration,
            mail: settings.courier.mail
        )
        formSettings.identifiersAreAddresses = schemas.identifiersAreAddresses
        let forms = MethodForms(formSettings, of: methods)
        let metrics = FlowMetrics(methods: forms.names)
        self.metrics = [metrics]

        // Flows.
        flows = FlowRepository(
            database: database,
            settings: settings.flows,
            schemas: schemas,
            urls: environment.urls,
            secrets: environment.secrets,
            types: responders.map { $0.type }
        )
        let returnURLs = ReturnURLs(settings.flows.returnURLs, own: environment.urls.base)
        lifecycle = FlowLifecycle(
            flows: flows,
            returnURLs: returnURLs,
            language: settings.courier.language,
            urls: environment.urls,
            metrics: metrics,
            random: random,
            schemas: schemas,
            clients: accounts.clients,
            limiter: accounts.limiter,
            database: database,
            links: MailedLinks(environment),
            authorization: authorization,
            sessions: accounts.authenticator,
            duties: accounts.duties,
            terms: terms,
            blockingTerms: settings.terms.blocking
        )

        // Codes.
        codeKeys = CodeKeys(secrets: environment.secrets)
        let codeLimits = CodeLimits(
            accounts.limiter,
            known: accounts.networks,
            texts: settings.courier.kind == .development
                ? nil : TextMessagePolicy(callingCodes: settings.courier.callingCodes)
        )
        let sender = CodeSender(
            keys: codeKeys,
            limits: codeLimits,
            courier: accounts.courier,
            codeSettings: settings.codes,
            random: random,
            messages: accounts.messages,
            database: database,
            links: MailedLinks(environment)
        )
        let verifier = CodeVerifier(
            keys: codeKeys,
            limits: codeLimits,
            limiter: accounts.limiter,
            codeSettings: settings.codes,
            audit: accounts.audit,
            random: random
        )

        // Methods.
        let prover = AddressProver(
            notices: accounts.notices,
            schemas: schemas,
            audit: accounts.audit,
            data: accounts.data
        )
        let verifications = VerificationStarter(
            lifecycle: lifecycle,
            sender: sender,
            verification: settings.verification
        )
        let services = MethodServices(
            environment: environment,
            accounts: accounts,
            settings: settings,
            forms: formSettings,
            signIn: signIn,
            lifecycle: lifecycle,
            sender: sender,
            verifier: verifier,
            prover: prover,
            verifications: verifications,
            changes: TraitChange(
                notices: accounts.notices,
                prover: prover,
                networks: accounts.networks,
                methods: signIn,
                random: random,
                audit: accounts.audit,
                schemas: schemas
            ),
            login: LoginCompletion(
                deletion: accounts.deletion,
                sessionSettings: accounts.sessionSettings,
                random: random,
                schemas: schemas
            ),
            registration: RegistrationCompletion(
                lifecycle: lifecycle,
                verifications: verifications,
                prover: prover,
                networks: accounts.networks,
                passwordLimits: accounts.passwordLimits,
                deletion: accounts.deletion,
                settings: settings.registration,
                codeSettings: settings.codes,
                sessionSettings: accounts.sessionSettings,
                random: random,
                audit: accounts.audit,
                schemas: schemas
            ),
            claims: ClaimedAddresses(sender: sender, verifier: verifier)
        )

        // Terms.
        workers = [
            TermsSchedule(catalog: terms, broadcast: database.broadcast, time: environment.time)
        ]
        operatorRoutes =
            TermsAdminEndpoints(
                publisher: TermsPublisher(catalog: terms, audit: accounts.audit, database: database),
                database: database
            ).endpoints
            + EvidenceAdminEndpoints(signer: evidence, clients: accounts.clients, database: database)
            .endpoints

        // Routes.
        let writer = FlowWriter(
            methods: forms,
            urls: environment.urls,
            defaultReturnURL: settings.flows.defaultReturnURL,
            schemas: schemas,
            identities: accounts.writer,
            texts: texts,
            fresh: InitialForms(of: schemas, by: forms, in: texts),
            authorization: authorization
        )
        let responding = ResponderServices(
            flows: writer,
            identities: accounts.writer,
            environment: environment,
            browsers: BrowserSessions(environment, settings: accounts.sessionSettings),
            pages: BrowserPages(
                settings.ui,
                urls: environment.urls,
                home: settings.flows.defaultReturnURL
            ),
            returnURLs: returnURLs,
            errors: BrowserErrors(secrets: environment.secrets, random: random),
            authorization: authorization
        )
        let engines = FlowEngines(
            methods: methods.map { $0.init(services) },
            forms: forms,
            lifecycle: lifecycle,
            submissions: SubmissionReader(schemas: schemas, forms: forms, metrics: metrics),
            responders: FlowResponders(responders, with: responding),
            browsers: responding.browsers
        )
        let all: [any SelfServiceFlow] = [
            LoginFlow(services, forms: forms), RegistrationFlow(services), VerificationFlow(services),
            RecoveryFlow(services), SettingsFlow(services, forms: forms),
        ]
        hosted = HostedFlows(
            all,
            services: responding,
            lifecycle: lifecycle,
            reports: LinkReports(services),
            returns: LinkReturns(services),
            offersRecovery: settings.recovery.isEnabled,
            offersRegistration: settings.registration.isOpen(
                for: schemas.standard,
                standard: schemas.standard
            )
                && !schemas.standard.policy.needsCertificate,
            leadsElsewhere: settings.flows.defaultReturnURL != nil || !settings.ui.pages.isEmpty
        )
        routes =
            all.flatMap { engines.endpoints(of: $0) }
            + LogoutEndpoints(responding, accounts: accounts).endpoints
            + [BrowserErrorEndpoint(errors: responding.errors).endpoint]
            + PhoneVerification(
                flows: flows,
                lifecycle: lifecycle,
                codes: PhoneVerifier(
                    sender: sender,
                    verifier: verifier,
                    courierSettings: settings.courier,
                    database: database
                )
            ).endpoints
            + AgreementEndpoints(environment, accounts: accounts, terms: terms).endpoints
            + ClientTermsEndpoints(environment, accounts: accounts, terms: terms).endpoints
    }

    package var expiredRows: [ExpiredRows] {
        // Anyone can create flows without an account, so they are deleted soon.
        let unfinishedRetention: Duration = .seconds(600)
        // In case a client returns late.
        let retention: Duration = .seconds(86_400)
        // If the retention period is zero, answers are kept forever.
        let answers = ExpiredRows(.answers) {
            [retention = settings.terms.retention] now, limit, transaction in
            try TermsEvidenceRepository.deleteClosed(
                before: now - retention,
                atMost: limit,
                in: transaction
            )
        }
        return (settings.terms.retention > .zero ? [answers] : []) + [
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
    /// Answers to documents, of accounts that were erased or taken over.
    package static let answers: Self = "answers"
}
