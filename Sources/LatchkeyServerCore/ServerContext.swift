package import LatchkeyModel

/// The parts that the server's services stand on.
package struct ServerContext: Sendable {
    package let settings: ServerSettings
    package let schemas: SchemaCatalog
    package let database: any Database
    package let hasher: any PasswordHasher
    package let secrets: ServerSecrets
    package let time: any TimeSource
    package let random: any RandomSource

    /// The keys of access tokens, shared by all who sign and verify.
    package let signingKeys: SigningKeyRing

    /// The passwords that nobody should use; nothing where an operator has no list of them.
    package let breaches: (any BreachedPasswords)?

    /// The words of forms.
    package let formTexts: FormTexts

    /// The forms that flows begin with.
    package let freshForms: FreshForms

    /// Counts what the server does.
    package let metrics: ServerMetrics

    /// Writes the messages to users.
    package let messages: MessageWriter

    /// The hashes that stand for identifiers in the audit log.
    package let auditTrace: AuditTrace

    /// Writes reached limits to the audit log.
    package let limitAudit: LimitAudit

    package init(
        settings: ServerSettings,
        schemas: SchemaCatalog,
        database: any Database,
        hasher: any PasswordHasher,
        secrets: ServerSecrets,
        time: any TimeSource,
        random: any RandomSource,
        texts: MessageCatalog = .builtIn,
        formTexts: FormTexts = .builtIn,
        breaches: (any BreachedPasswords)? = nil,
        metrics: ServerMetrics = ServerMetrics()
    ) {
        self.settings = settings
        self.schemas = schemas
        self.database = database
        self.hasher = hasher
        self.secrets = secrets
        self.time = time
        self.random = random
        self.breaches = breaches
        self.formTexts = formTexts
        freshForms = FreshForms(of: schemas, settings, in: formTexts)
        self.metrics = metrics
        signingKeys = SigningKeyRing(database: database, secrets: secrets, random: random, settings: settings)
        messages = MessageWriter(texts, app: settings.appName)
        auditTrace = AuditTrace(secrets)
        limitAudit = LimitAudit(database, trace: auditTrace, random: random)
    }
}
