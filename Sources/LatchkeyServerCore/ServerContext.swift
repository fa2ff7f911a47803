package import LatchkeyModel

/// The dependencies that the server's services share: settings, database, keys, clock and randomness.
package struct ServerContext: Sendable {
    package let settings: ServerSettings
    package let schemas: SchemaCatalog
    package let database: any Database
    package let hasher: any PasswordHasher
    package let secrets: ServerSecrets
    /// The clock; tests replace it with a virtual one.
    package let time: any TimeSource
    /// The source of random bytes for identifiers, tokens, codes and jitter.
    package let random: any RandomSource

    /// The rotating key pairs of access tokens, shared by the issuer and the verifiers.
    package let signingKeys: SigningKeyRing

    /// The list of breached passwords; `nil` if the operator has not configured one.
    package let breaches: (any BreachedPasswords)?

    /// The localized labels and messages of forms.
    package let formTexts: FormTexts

    /// The initial forms of new flows, prepared for each schema.
    package let freshForms: FreshForms

    /// The counters and histograms of this server.
    package let metrics: ServerMetrics

    /// Renders messages to users from templates.
    package let messages: MessageWriter

    /// Derives the keyed hashes that replace identifiers in the audit log.
    package let auditTrace: AuditTrace

    /// Appends an audit event when a rate limit is reached.
    package let limitAudit: LimitAudit

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - settings: The operator's settings.
    ///   - schemas: The identity schemas.
    ///   - database: The database; it remains owned by the caller.
    ///   - hasher: The password hasher; it remains owned by the caller.
    ///   - secrets: The secrets from which all symmetric keys are derived.
    ///   - time: The clock.
    ///   - random: The source of random bytes.
    ///   - texts: The message templates; the built-in ones by default.
    ///   - formTexts: The texts of forms; the built-in ones by default.
    ///   - breaches: The list of breached passwords; `nil` skips the check of new passwords against it.
    ///   - metrics: The metrics that the services record to.
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
        freshForms = FreshForms(of: schemas, settings: settings, in: formTexts)
        self.metrics = metrics
        signingKeys = SigningKeyRing(database: database, secrets: secrets, random: random, settings: settings)
        messages = MessageWriter(texts, app: settings.appName)
        auditTrace = AuditTrace(secrets)
        limitAudit = LimitAudit(database, trace: auditTrace, random: random)
    }
}
