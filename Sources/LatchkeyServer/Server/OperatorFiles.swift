import LatchkeyAccounts
import LatchkeyCommerce
import LatchkeyCourier
import LatchkeySelfService

/// The operator's files, which are read before the data is opened.
struct OperatorFiles: Sendable {
    /// The built-in identity schemas and the schemas in the operator's folder.
    let schemas: SchemaCatalog

    /// The list of breached passwords, or `nil` if no list is configured.
    let breaches: BreachList?

    /// The texts of forms, including the texts in the operator's folder.
    let formTexts: FormTranslations

    /// The built-in message texts, with any overrides from the operator's folder.
    let messageTexts: MessageCatalog

    /// The products that users can buy, or `nil` if no catalog is configured.
    let catalog: ProductCatalog?

    /// Reads the files.
    ///
    /// - Throws: ``IdentityServerError``, which lists the problems with all files.
    init(_ configuration: ServerConfiguration) throws(IdentityServerError) {
        var problems = StartupProblems(configuration)
        guard let files = Self(configuration, reporting: &problems) else {
            throw problems.error
                ?? IdentityServerError(.configuration, message: "The operator's files cannot be used.")
        }
        self = files
    }

    /// Reads the files and records the problems with them.
    ///
    /// The result is `nil` if there are any.
    init?(_ configuration: ServerConfiguration, reporting problems: inout StartupProblems) {
        let schemas = Self.schemas(configuration, reporting: &problems)
        let breaches = problems.attempt("passwords.breaches") {
            try configuration.passwords.breaches.map { try BreachList(path: $0) }
        }
        let formTexts = problems.attempt("flows.texts") {
            try configuration.flows.texts.map { try FormTextFolder(path: $0).texts() } ?? .builtIn
        }
        let messageTexts = problems.attempt("courier.templates") {
            try configuration.courier.templates.map { try TemplateFolder(path: $0).catalog() } ?? .builtIn
        }
        let catalog = problems.attempt("commerce.catalog", "commerce.default_region") {
            try ProductCatalog(configuration.commerce)
        }
        guard let schemas, let breaches, let formTexts, let messageTexts, let catalog else { return nil }
        self.schemas = schemas
        self.breaches = breaches
        self.formTexts = formTexts
        self.messageTexts = messageTexts
        self.catalog = catalog
    }

    /// Reads the identity schemas, each on its own, so that the problems with all of them are recorded.
    private static func schemas(
        _ configuration: ServerConfiguration,
        reporting problems: inout StartupProblems
    ) -> SchemaCatalog? {
        let builtIn = SchemaSettings().standard
        let names = problems.attempt("identities.schemas") {
            try configuration.schemas.folder.map { try SchemaFolder(path: $0).names() } ?? []
        }
        guard let names else { return nil }
        var sources: [String: [UInt8]] = [:]
        for name in names {
            let source = problems.attempt("identities.schemas") {
                let source = try SchemaFolder(path: configuration.schemas.folder ?? "").source(of: name)
                _ = try SchemaCatalog([name: source], standard: name)
                return source
            }
            if let source { sources[name] = source }
        }
        // A schema that can't be read may be one of those that the other settings name.
        guard sources.count == names.count else { return nil }
        let known = problems.attempt("identities.schemas") { try SchemaCatalog(sources, standard: builtIn) }
        for name in configuration.registration.schemas {
            _ = problems.attempt("registration.schemas") { try known?.require([name]) }
        }
        return problems.attempt("identities.default_schema") {
            try SchemaCatalog(sources, standard: configuration.schemas.standard)
        }
    }
}
