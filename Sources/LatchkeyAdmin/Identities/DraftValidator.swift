import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire

/// Validates the schema, the traits and the password of a draft.
///
/// Everything else is copied to the identity as is.
struct DraftValidator: Sendable {
    private let breaches: BreachCheck
    private let passwordSettings: PasswordSettings
    /// The identity schemas.
    let schemas: SchemaCatalog
    private let methods: SignInMethods
    private let hasher: any PasswordHasher

    /// Creates a validator.
    ///
    /// - Parameters:
    ///   - breaches: Rejects breached passwords if a request asks for this check.
    ///   - passwordSettings: Specifies the maximum length of passwords.
    ///   - schemas: The identity schemas that traits are validated against.
    ///   - methods: The ways to enter an account that are enabled.
    ///   - hasher: Hashes plain-text passwords.
    init(
        breaches: BreachCheck,
        passwordSettings: PasswordSettings,
        schemas: SchemaCatalog,
        methods: SignInMethods,
        hasher: any PasswordHasher
    ) {
        self.breaches = breaches
        self.passwordSettings = passwordSettings
        self.schemas = schemas
        self.methods = methods
        self.hasher = hasher
    }

    /// The id of the default schema, which is used if a draft doesn't specify one.
    var standardSchemaID: String { schemas.standard.id }

    /// Returns the schema with the given id.
    ///
    /// - Throws: ``ServerError`` with status 400 if the schema doesn't exist.
    func schema(_ id: String) throws(ServerError) -> IdentitySchema {
        guard let schema = schemas[id] else {
            throw .malformed("schema_id is not the ID of an identity schema on this server.")
        }
        return schema
    }

    /// Validates and normalizes traits.
    ///
    /// - Parameters:
    ///   - submitted: The traits. `nil` is treated as an empty object.
    ///   - schema: The schema that the traits must match.
    ///   - optional: Required fields that may be missing because the account has lost them.
    /// - Returns: The normalized traits.
    /// - Throws: ``ServerError`` with status 400, which lists the invalid fields.
    func traits(
        _ submitted: OrderedJSON?,
        schema: IdentitySchema,
        optional: Set<String> = []
    ) throws(ServerError) -> Traits {
        var form = Form()
        let traits = TraitValidator.read(submitted, schema: schema, optional: optional, into: &form)
        guard let traits else { throw .unfit(form) }
        return traits
    }

    /// Rejects a change after which the user couldn't enter the account any more.
    ///
    /// Unproven addresses count, because the operator can vouch for them or issue a recovery code.
    ///
    /// - Parameters:
    ///   - new: The identity after the change.
    ///   - old: The identity before the change. If the user couldn't enter the account then either, or if the
    ///     identity is new, only the addresses of the new identity matter.
    ///   - hasPassword: Whether the account has a password after the change.
    ///   - hadPassword: Whether the account had a password before the change.
    /// - Throws: ``ServerError`` with status 400.
    func requireEntrance(
        to new: Identity,
        replacing old: Identity,
        hasPassword: Bool,
        hadPassword: Bool
    ) throws(ServerError) {
        guard
            methods.admit(
                old.vouched(at: old.updatedAt),
                hasPassword: hadPassword,
                schema: schemas[old.schemaID]
            ),
            let schema = schemas[new.schemaID],
            !methods.admit(new.vouched(at: new.updatedAt), hasPassword: hasPassword, schema: schema)
        else { return }
        var form = Form()
        form.refuse(new.entranceField(by: schema) ?? "traits", with: .lastEntrance)
        throw .unfit(form)
    }

    /// Rejects a new identity that has neither an identifier nor an address for a recovery, because no user
    /// could ever enter the account.
    ///
    /// - Throws: ``ServerError`` with status 400.
    func requireIdentifier(of new: Identity, schema: IdentitySchema) throws(ServerError) {
        guard new.identifiers.isEmpty, new.recovery.isEmpty, let field = new.entranceField(by: schema) else {
            return
        }
        var form = Form()
        form.refuse(field, with: .missing(field))
        throw .unfit(form)
    }

    /// Returns the hash of the password in a draft, or `nil` if the draft has no password.
    ///
    /// All plain-text passwords are limited to the maximum length. Apart from that, operators can set any
    /// password, as in Kratos. The password is only checked against the schema's password policy and the list
    /// of breached passwords if the draft requests these checks.
    ///
    /// - Throws: ``ServerError`` with status 400 if the password is rejected, or 503 if the list of breached
    ///   passwords cannot be read.
    func passwordHash(of draft: IdentityDraft, traits: Traits, schema: IdentitySchema) async throws
        -> String?
    {
        switch draft.password {
        case nil: return nil
        case .hashed(let hash)?: return hash.text
        case .plain(let typed)?:
            let password = typed.composed
            guard password.exposed.utf8.count <= passwordSettings.maximumLength else {
                throw ServerError.malformed("The password is too long.")
            }
            let policy = PasswordPolicy(schema.policy, maximumLength: passwordSettings.maximumLength)
            if draft.checksPassword,
                let refusal = policy.refusal(of: password, identifiers: traits.identifiers)
            {
                var form = Form()
                form.refuse("password", with: UIMessage(refusal))
                throw ServerError.unfit(form)
            }
            if draft.checksPassword, let refusal = try await breaches.refusal(of: password) {
                var form = Form()
                form.refuse("password", with: UIMessage(refusal))
                throw ServerError.unfit(form)
            }
            return try await hasher.hash(password)
        }
    }
}

extension ServerError {
    /// Returns an error with status 400 for invalid traits or an invalid password.
    ///
    /// The reason has one line for each invalid field.
    fileprivate static func unfit(_ form: Form) -> ServerError {
        let words = FormTranslations.builtIn[.english]
        let lines = form.fieldMessages.map { "\($0.field): \(words.text(of: $0.message))" }
        return .malformed(
            lines.isEmpty ? "The traits do not match the identity schema." : lines.joined(separator: "\n")
        )
    }
}
