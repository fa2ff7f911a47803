package import LatchkeyAccounts
import LatchkeyCourier
package import LatchkeyModel
import LatchkeySelfService
package import LatchkeyServerKit
import LatchkeyWire

/// The operations that operators perform on identities; each is recorded in the audit log in the same
/// transaction.
///
/// Withdrawing the verification of an address or changing its status is not audited: a patch that makes only
/// such changes is not recorded.
///
/// The operator vouches for the addresses of the identities that they create or replace: these addresses
/// count as proven.
///
/// Passwords are hashed before the transaction, because the body of a transaction may run several times. In
/// addition to the documented errors, all operations rethrow the errors of the database and of the password
/// hasher.
package struct IdentityAdministration: Sendable {
    private let identities: IdentityRepository
    private let erasure: AccountErasure
    private let breaches: BreachCheck
    private let passwordSettings: PasswordSettings
    private let random: any RandomSource
    private let audit: AuditLog
    private let database: any Database
    private let schemas: SchemaCatalog
    private let hasher: any PasswordHasher

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - identities: The repository of identities.
    ///   - erasure: Deletes accounts with all copies of their addresses.
    ///   - breaches: Rejects breached passwords, if a request asks for the check.
    ///   - passwordSettings: The maximum length of passwords.
    ///   - random: The random source for ids.
    ///   - audit: The audit log.
    ///   - database: The database, to which each operation writes in one transaction.
    ///   - schemas: The identity schemas that traits are validated against.
    ///   - hasher: The hasher for plain-text passwords.
    package init(
        identities: IdentityRepository,
        erasure: AccountErasure,
        breaches: BreachCheck,
        passwordSettings: PasswordSettings,
        random: any RandomSource,
        audit: AuditLog,
        database: any Database,
        schemas: SchemaCatalog,
        hasher: any PasswordHasher
    ) {
        self.identities = identities
        self.erasure = erasure
        self.breaches = breaches
        self.passwordSettings = passwordSettings
        self.random = random
        self.audit = audit
        self.database = database
        self.schemas = schemas
        self.hasher = hasher
    }

    /// Creates an identity.
    ///
    /// By default, the identity is active and has the default schema. If the draft contains a password hash,
    /// the hash is stored unchanged and the creation is recorded as an import.
    ///
    /// - Parameters:
    ///   - draft: The requested properties of the identity.
    ///   - context: The request.
    /// - Returns: The id of the new identity.
    /// - Throws: ``ServerError`` with status 400 for an invalid draft, 409 if another identity has one of the
    ///   identifiers, one of the addresses or the external id, 503 if the password cannot be checked against
    ///   the list of breached passwords.
    func create(_ draft: IdentityDraft, in context: RequestContext) async throws -> Identifier {
        let schema = try schema(draft.schemaID ?? schemas.standard.id)
        let traits = try self.traits(draft.traits, schema: schema)
        let hash = try await passwordHash(of: draft, traits: traits, schema: schema)
        let now = context.now
        let made = Identity(schema: schema, traits: traits, verified: [], at: now, random: random)
        let identity = Self.settled(made, applying: draft, at: now)
            .with(state: draft.state ?? .active, at: now)
            .vouched(at: now)
        let isImport = if case .hashed? = draft.password { true } else { false }
        let event = event(isImport ? .imported : .created, of: identity.id, in: context)
        try await transaction { transaction in
            try IdentityRepository.insert(identity, passwordHash: hash, in: transaction)
            try AuditLog.append(event, in: transaction)
        }
        return identity.id
    }

    /// Replaces an identity with a draft; properties that the draft omits are removed, except for the schema,
    /// the state and the password.
    ///
    /// Setting a new password or the state `inactive` revokes all sessions. Either of these, or a change of
    /// identifiers or addresses, invalidates open codes and known networks.
    ///
    /// - Parameters:
    ///   - id: The id of the identity.
    ///   - draft: The requested properties of the identity.
    ///   - context: The request.
    /// - Throws: ``ServerError`` with status 404 if the identity does not exist, and the errors of
    ///   ``create(_:in:)``.
    func replace(_ id: Identifier, with draft: IdentityDraft, in context: RequestContext) async throws {
        guard let before = try await identities.find(id) else { throw ServerError.notFound }
        let schema = try schema(draft.schemaID ?? before.schemaID)
        let traits = try self.traits(draft.traits, schema: schema, optional: before.releasedFields(schema))
        let hash = try await passwordHash(of: draft, traits: traits, schema: schema)
        try await change(id, passwordHash: hash, in: context) { [random] identity in
            let changed = identity.with(
                traits: traits,
                schema: schema,
                at: context.now,
                random: random
            )
            return Self.settled(changed, applying: draft, at: context.now)
                .with(state: draft.state ?? identity.state, at: context.now)
                .vouched(at: context.now)
        }
    }

    /// Applies a JSON patch to an identity.
    ///
    /// The patch is applied in the transaction that stores its result, so that no concurrent change is lost.
    /// If it changes traits or addresses, the operator vouches for all addresses of the result, except those
    /// whose verification the patch withdraws. Sessions are revoked and codes invalidated under the same
    /// conditions as for ``replace(_:with:in:)``.
    ///
    /// - Throws: ``ServerError`` with status 404 if the identity does not exist, 400 if the result is
    ///   invalid, 409 for a conflict.
    func patch(_ id: Identifier, with patch: IdentityPatch, in context: RequestContext) async throws {
        try await change(id, in: context) { identity in
            let draft = try patch.draft(of: identity)
            let schema = try self.schema(draft.schemaID ?? identity.schemaID)
            let released = identity.record.releasedFields(schema)
            let traits = try self.traits(draft.traits, schema: schema, optional: released)
            let changed = identity.with(
                traits: traits,
                schema: schema,
                at: context.now,
                random: random
            )
            let settled = Self.settled(changed, applying: draft, at: context.now, withdraws: true)
                .with(state: draft.state ?? identity.state, at: context.now)
            guard patch.changesAddresses else { return settled }
            let verified = Set(settled.verifiable.filter(\.isVerified).map(\.address))
            let withdrawn = identity.verifiable.filter(\.isVerified).map(\.address)
            return settled.vouched(at: context.now, except: Set(withdrawn).subtracting(verified))
        }
    }

    /// Deletes an identity and all of its data; the audit log retains its id and keyed hashes of its
    /// identifiers.
    ///
    /// - Throws: ``ServerError`` with status 404 if the identity does not exist.
    func delete(_ id: Identifier, in context: RequestContext) async throws {
        let erasure = erasure
        try await transaction { transaction in
            guard let identity = try IdentityRepository.load(id, in: transaction) else {
                throw ServerError.notFound
            }
            try erasure.erase(identity, at: context.now, in: transaction)
            let event = audit.event(
                .deleted,
                of: id,
                by: .operator,
                in: context,
                about: erasure.trace(of: identity),
                at: context.now
            )
            try AuditLog.append(event, in: transaction)
        }
    }

    /// Releases an address: the accounts that have it can no longer use it for login, verification or
    /// recovery, so that its new owner can.
    ///
    /// The address remains in the traits. Open codes and known networks of the accounts are invalidated;
    /// their sessions and passwords are not changed. A separate audit event is recorded for each account; it
    /// contains the channel, but not the address.
    ///
    /// - Parameters:
    ///   - address: The normalized address.
    ///   - context: The request.
    /// - Returns: The ids of the accounts that had the address.
    /// - Throws: ``ServerError`` with status 404 if no account has the address.
    func release(_ address: ContactAddress, in context: RequestContext) async throws -> [Identifier] {
        let now = context.now
        return try await transaction { transaction in
            let holders = try AddressStateRepository.holders(of: address, in: transaction)
            guard !holders.isEmpty else { throw ServerError(404, reason: "No account has this address.") }
            for id in holders {
                guard let old = try IdentityRepository.load(id, in: transaction) else { continue }
                try OpenCodes.void(of: id, at: now, random: random, in: transaction)
                try KnownNetworks.forget(id, in: transaction)
                try IdentityRepository.save(old.releasing(address, at: now), replacing: old, in: transaction)
                let event = audit.event(
                    .addressReleased,
                    of: id,
                    by: .operator,
                    in: context,
                    about: address.via.rawValue,
                    at: now
                )
                try AuditLog.append(event, in: transaction)
            }
            return holders
        }
    }

    /// Deletes the password of an identity, revokes its sessions, and invalidates its open codes and known
    /// networks.
    ///
    /// - Throws: ``ServerError`` with status 404 if the identity does not exist or has no password.
    func removePassword(of id: Identifier, in context: RequestContext) async throws {
        let event = event(.passwordRemoved, of: id, in: context)
        try await transaction { transaction in
            _ = try IdentityRepository.confirm(id, in: transaction)
            guard try IdentityRepository.removePassword(of: id, in: transaction) else {
                throw ServerError(404, reason: "The identity does not exist or has no password.")
            }
            try endAccess(to: id, at: context.now, in: transaction)
            try AuditLog.append(event, in: transaction)
        }
    }

    /// Loads, changes and saves an identity, and revokes access as far as the change requires.
    ///
    /// - Parameters:
    ///   - id: The id of the identity.
    ///   - passwordHash: The hash of the identity's new password; `nil` leaves the password unchanged.
    ///   - context: The request.
    ///   - change: Returns the changed identity; it is called again if the transaction is restarted.
    /// - Throws: ``ServerError`` with status 404 or 409, and the errors of `change`.
    private func change(
        _ id: Identifier,
        passwordHash: String? = nil,
        in context: RequestContext,
        by change: @escaping @Sendable (Identity) throws -> Identity
    ) async throws {
        try await transaction { transaction in
            guard let old = try IdentityRepository.load(id, in: transaction) else {
                throw ServerError.notFound
            }
            let new = try change(old)
            try IdentityRepository.save(new, replacing: old, in: transaction)
            if let passwordHash {
                try IdentityRepository.setPassword(passwordHash, of: id, at: context.now, in: transaction)
            }
            if passwordHash != nil || new.state == .inactive {
                try endAccess(to: id, at: context.now, in: transaction)
            } else if new.changesAccess(of: old) {
                try OpenCodes.void(of: id, at: context.now, random: random, in: transaction)
                try KnownNetworks.forget(id, in: transaction)
            }
            for action in Self.actions(from: old, to: new) + (passwordHash == nil ? [] : [.passwordChanged]) {
                try AuditLog.append(event(action, of: id, in: context), in: transaction)
            }
        }
    }

    /// Revokes all sessions, invalidates open codes and their flows, and deletes the known networks of an
    /// account.
    private func endAccess(
        to id: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        try SessionRepository.revokeAll(of: id, at: now, in: transaction)
        try OpenCodes.void(of: id, at: now, random: random, in: transaction)
        try KnownNetworks.forget(id, in: transaction)
    }

    /// Runs a transaction, and converts ``IdentityRepository/Duplicate`` to an error with status 409.
    private func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        do {
            return try await database.transaction(body)
        } catch is IdentityRepository.Duplicate {
            throw ServerError(409, reason: "Another identity has this identifier, address or external id.")
        }
    }

    private func event(_ action: AuditAction, of id: Identifier, in context: RequestContext) -> AuditEvent {
        AuditEvent(action, of: id, by: .operator, in: context, at: context.now, random: random)
    }

    /// Returns a schema by its id.
    ///
    /// - Throws: ``ServerError`` with status 400 if the schema does not exist.
    private func schema(_ id: String) throws(ServerError) -> IdentitySchema {
        guard let schema = schemas[id] else {
            throw .malformed("schema_id is not the ID of an identity schema on this server.")
        }
        return schema
    }

    /// Validates and normalizes traits.
    ///
    /// - Parameters:
    ///   - submitted: The traits; `nil` is treated as an empty object.
    ///   - schema: The schema to validate against.
    ///   - optional: The fields that may be missing although the schema requires them, because their
    ///     addresses were released.
    /// - Returns: The normalized traits.
    /// - Throws: ``ServerError`` with status 400, which lists the invalid fields.
    private func traits(
        _ submitted: OrderedJSON?,
        schema: IdentitySchema,
        optional: Set<String> = []
    ) throws(ServerError) -> Traits {
        var form = Form()
        let traits = TraitValidator.read(submitted, schema: schema, optional: optional, into: &form)
        guard let traits else { throw .unfit(form) }
        return traits
    }

    /// Returns the hash of the password in a draft; `nil` if the draft has no password.
    ///
    /// The maximum length applies to all plain-text passwords. The policy of the schema and the list of
    /// breached passwords apply only if the draft asks for the check, because Kratos lets operators set any
    /// password.
    ///
    /// - Throws: ``ServerError`` with status 400 if the password is rejected, 503 if the list cannot be read.
    private func passwordHash(of draft: IdentityDraft, traits: Traits, schema: IdentitySchema) async throws
        -> String?
    {
        switch draft.password {
        case nil: return nil
        case .hashed(let hash)?: return hash.text
        case .plain(let password)?:
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

    /// Returns a copy of the identity with the metadata, the external id and the verification status of
    /// addresses from a draft.
    ///
    /// - Parameters:
    ///   - identity: The identity, which already has the traits of the draft.
    ///   - draft: The draft.
    ///   - now: The time of the change.
    ///   - withdraws: Whether addresses lose their verification if the draft lists them as unverified.
    /// - Returns: The changed identity.
    private static func settled(
        _ identity: Identity,
        applying draft: IdentityDraft,
        at now: Timestamp,
        withdraws: Bool = false
    ) -> Identity {
        var settled = identity.with(
            publicMetadata: draft.publicMetadata,
            adminMetadata: draft.adminMetadata,
            at: now
        ).with(externalID: draft.externalID, at: now)
        for address in draft.addresses {
            if address.isVerified {
                settled = settled.verifying(address: address.value, at: now)
            } else {
                if withdraws { settled = settled.withdrawing(verificationOf: address.value, at: now) }
                settled = settled.marking(address: address.value, as: address.status, at: now)
            }
        }
        guard draft.vouches else { return settled }
        return settled.verifiable.reduce(settled) { $0.verifying(address: $1.address.value, at: now) }
    }

    /// Returns the actions to record in the audit log for a change.
    ///
    /// Vouching for an address that the identity already had is recorded as its verification, whereas
    /// vouching for a new address is recorded only as part of the change of traits. The result is empty if
    /// the change only updates the status of addresses or withdraws a verification.
    private static func actions(from old: Identity, to new: Identity) -> [AuditAction] {
        var actions: [AuditAction] = []
        if old.traits != new.traits || old.schemaID != new.schemaID { actions.append(.traitsChanged) }
        if old.publicMetadata != new.publicMetadata || old.adminMetadata != new.adminMetadata
            || old.externalID != new.externalID
        {
            actions.append(.metadataChanged)
        }
        let verified = Set(old.verifiable.filter(\.isVerified).map(\.id))
        let claimed = old.addresses.subtracting(old.provenAddresses)
        if new.verifiable.contains(where: { $0.isVerified && !verified.contains($0.id) })
            || !claimed.isDisjoint(with: new.provenAddresses)
        {
            actions.append(.addressVerified)
        }
        if old.state != new.state { actions.append(new.state == .active ? .enabled : .disabled) }
        return actions
    }
}

extension ServerError {
    /// Returns an error with status 400 for invalid traits or an invalid password; its reason has one line
    /// for each invalid field.
    fileprivate static func unfit(_ form: Form) -> ServerError {
        let words = FormTranslations.builtIn[.english]
        let lines = form.fieldMessages.map { "\($0.field): \(words.text(of: $0.message))" }
        return .malformed(
            lines.isEmpty ? "The traits do not match the identity schema." : lines.joined(separator: "\n")
        )
    }
}
