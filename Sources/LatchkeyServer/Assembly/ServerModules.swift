import LatchkeyAccounts
import LatchkeyAdmin
import LatchkeyCommerce
import LatchkeyCourier
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyOAuth
import LatchkeyPages
import LatchkeySelfService
package import LatchkeyServerKit

/// The modules of a server.
///
/// To add a module, create it here, and add it to ``all`` and ``types``.
struct ServerModules: Sendable {
    /// All modules, in the order in which they start and in which the OpenAPI document lists their routes.
    ///
    /// They stop in reverse order, so that the courier still sends the messages of the others.
    let all: [any ServerModule]

    let accounts: AccountsModule
    let terms: TermsCatalog
    let tokens: AccessTokens
    let commerce: CommerceModule?
    let pages: PagesModule

    /// The types of all modules that have tables.
    static let types: [any ServerModule.Type] = [
        KitModule.self, CourierModule.self, AccountsModule.self, SelfServiceModule.self, OAuthModule.self,
        CommerceModule.self,
    ]

    /// The data of all modules about accounts, besides identities and sessions.
    static func accountData(random: any RandomSource, secrets: ServerSecrets) -> AccountData {
        AccountData([
            AccountsModule.accountData, SelfServiceModule.accountData(random: random),
            SelfServiceModule.termsData(trace: AuditTrace(secrets)), OAuthModule.accountData,
            CommerceModule.accountData,
        ])
    }

    /// Creates the modules, each after the ones that it uses.
    init(
        _ configuration: ServerConfiguration,
        urls: ServerURLs,
        resources: ServerResources,
        courier: Courier,
        issuer: CertificateIssuer?
    ) {
        let environment = ServerEnvironment(
            urls: urls,
            cookies: configuration.cookies.cookies(url: urls.base),
            origins: TrustedOrigins([urls.base] + configuration.ui.pages),
            database: resources.database,
            secrets: resources.secrets,
            time: resources.time,
            random: resources.random
        )
        let mail = CourierModule(courier, settings: configuration.courier, texts: resources.messageTexts)
        let tokens = AccessTokens(
            environment,
            settings: configuration.tokens,
            privilegedAge: configuration.sessions.privilegedAge,
            otherLifespan: resources.catalog == nil ? .zero : CommerceModule.historyLifespan
        )
        let terms = TermsCatalog(database: resources.database, time: resources.time)
        let accounts = AccountsModule(
            environment,
            settings: AccountsModule.Settings(configuration),
            resources: AccountsModule.Resources(resources, issuer: issuer),
            courier: mail,
            data: Self.accountData(random: resources.random, secrets: resources.secrets),
            accessTokens: tokens,
            eventSources: resources.catalog == nil ? [] : [CommerceModule.events(in: resources.database)],
            dutySources: [TermsDuties(catalog: terms, blocking: configuration.terms.blocking)]
                + resources.dutySources
        )
        let oauth = OAuthModule(
            environment,
            settings: configuration.provider,
            scopes: configuration.scopes,
            tokens: tokens,
            accounts: accounts
        )
        let selfService = SelfServiceModule(
            environment,
            settings: SelfServiceSettings(configuration),
            accounts: accounts,
            terms: terms,
            evidence: EvidenceSigner(
                issuer: urls.base,
                sign: { payload, type, now in try await tokens.keys.sign(payload, type: type, at: now) },
                keys: { now in try await tokens.keys.publishedSet(at: now) }
            ),
            signIn: configuration.signInMethods,
            texts: resources.formTexts,
            methods: resources.methods,
            responders: resources.responders,
            authorization: resources.authorization ?? oauth.authorizations
        )
        let pages = PagesModule(
            environment,
            accounts: accounts,
            selfService: selfService,
            terms: terms,
            authorizations: oauth.authorizations,
            handovers: oauth.handovers,
            texts: resources.formTexts,
            service: configuration.courier.app
        )
        let commerce = resources.catalog.map { catalog in
            CommerceModule(
                environment,
                settings: configuration.commerce,
                catalog: catalog,
                accounts: accounts,
                audience: configuration.tokens.audience,
                erasedPayments: resources.metrics.erasedPayments,
                sign: { payload, type, now in try await tokens.keys.sign(payload, type: type, at: now) }
            )
        }
        let admin = AdminModule(
            environment,
            accounts: accounts,
            selfService: selfService,
            methods: configuration.signInMethods,
            language: configuration.courier.language
        )
        all =
            [mail, selfService, pages, accounts, oauth] + (commerce.map { [$0] } ?? [])
            + [admin, KitModule(environment)]
        self.accounts = accounts
        self.terms = terms
        self.tokens = tokens
        self.commerce = commerce
        self.pages = pages
    }
}

extension [Migration] {
    /// The migrations of all modules, sorted by version.
    ///
    /// Versions are unique but not necessarily consecutive.
    package static var all: [Migration] {
        ServerModules.types.flatMap { $0.migrations }.sorted { $0.version < $1.version }
    }
}

extension AccountsModule.Settings {
    init(_ configuration: ServerConfiguration) {
        self.init()
        sessions = configuration.sessions
        passwords = configuration.passwords
        notices = configuration.notices
        accounts = configuration.accounts
        audit = configuration.audit
        certificates = configuration.certificates
        limits = configuration.effectiveLimits
        clients = configuration.clients
        ownAppID = configuration.tokens.clientID
        events = configuration.effectiveEvents
        eventStreams = configuration.eventStreams
    }
}

extension AccountsModule.Resources {
    init(_ resources: ServerResources, issuer: CertificateIssuer?) {
        self.init(schemas: resources.schemas, hasher: resources.hasher)
        breaches = resources.breaches
        self.issuer = issuer
        limitRefusals = resources.metrics.limitRefusals
        events = resources.metrics.events
    }
}

extension SelfServiceSettings {
    init(_ configuration: ServerConfiguration) {
        self.init()
        flows = configuration.flows
        registration = configuration.registration
        login = configuration.login
        codes = configuration.codes
        recovery = configuration.recovery
        verification = configuration.verification
        changes = configuration.changes
        courier = configuration.courier
        ui = configuration.ui
        terms = configuration.terms
    }
}
