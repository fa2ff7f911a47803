import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire

/// The operations that operators can perform on identities.
///
/// Each operation is recorded in the audit log, in the same transaction. The exceptions are changes whose
/// only effect is to withdraw the verification of addresses, or to change their status or verification date.
///
/// When an operator creates or replaces an identity, the operator vouches for its addresses, so we consider
/// the addresses to be proven, except for those whose verification the operator withdraws.
///
/// Passwords are hashed before the transaction starts, because the body of a transaction may run several
/// times. In addition to the documented errors, all operations can throw errors from the database and the
/// password hasher.
struct IdentityAdministration: Sendable {
    private let identities: IdentityRepository
    private let erasure: AccountErasure
    private let drafts: DraftValidator
    private let passwordLimits: PasswordLimits
    private let random: any RandomSource
    private let audit: AuditLog
    private let data: AccountData
    private let database: any Database

    /// Creates a service for the given database.
    ///
    /// - Parameters:
    ///   - identities: The repository of identities.
    ///   - erasure: Deletes accounts and all copies of their addresses.
    ///   - drafts: Validates the schemas, traits and passwords of drafts, and hashes the passwords.
    ///   - passwordLimits: Ends the waits after wrong passwords when an operator sets a new password.
    ///   - random: The random source for ids.
    ///   - audit: Creates the events for the audit log.
    ///   - data: The data of other modules, whose grants end with the access to an account.
    ///   - database: The database. Each operation runs in a single transaction.
    init(
        identities: IdentityRepository,
        erasure: AccountErasure,
        drafts: DraftValidator,
        passwordLimits: PasswordLimits,
        random: any RandomSource,
        audit: AuditLog,
        data: AccountData,
        database: any Database
    ) {
        self.data = data
        self.identities = identities
        self.erasure = erasure
        self.drafts = drafts
        self.passwordLimits = passwordLimits
        self.random = random
        self.audit = audit
        self.database = database
    }

    /// Creates an identity.
    ///
    /// By default, the identity is active and uses the default schema. If the draft contains a password hash,
    /// the hash is stored unchanged, and the audit log records an import instead of a creation.
    ///
    /// - Parameters:
    ///   - draft: The requested properties of the identity.
    ///   - context: The request context.
    /// - Returns: The id of the new identity.
    /// - Throws: ``ServerError`` with status 400 if the draft is invalid, 409 if another identity has one of
    ///   the identifiers, one of the addresses or the external id, or 503 if the password cannot be checked
    ///   against the list of breached passwords.
    func create(_ draft: IdentityDraft, in context: RequestContext) async throws -> Identifier {
        let schema = try drafts.schema(draft.schemaID ?? drafts.standardSchemaID)
        let traits = try drafts.traits(draft.traits, schema: schema)
        let hash = try await drafts.passwordHash(of: draft, traits: traits, schema: schema)
        let now = context.now
        let made = Identity(schema: schema, traits: traits, verified: [], at: now, random: random)
        let identity = try made.applying(draft, isNew: true, at: now)
            .with(state: draft.state ?? .active, at: now)
            .vouched(at: now)
        try drafts.requireIdentifier(of: identity, schema: schema)
        let isImport = if case .hashed? = draft.password { true } else { false }
        let event = event(isImport ? .imported : .created, of: identity.id, in: context)
        try await transaction { transaction in
            try IdentityRepository.insert(identity, passwordHash: hash, in: transaction)
            try AuditLog.append(event, in: transaction)
        }
        return identity.id
    }

    /// Replaces the properties of an identity with those of a draft.
    ///
    /// Properties that the draft omits are removed, except for the schema, the state and the password.
    ///
    /// Setting a new password, or setting the state to `inactive`, revokes all sessions. These changes, and
    /// any change to identifiers or addresses, also invalidate all unused codes and clear the account's list
    /// of known networks.
    ///
    /// - Parameters:
    ///   - id: The identity's id.
    ///   - draft: The requested properties of the identity.
    ///   - context: The request context.
    /// - Throws: ``ServerError`` with status 404 if the identity doesn't exist, or any error thrown by
    ///   ``create(_:in:)``.
    func replace(_ id: Identifier, with draft: IdentityDraft, in context: RequestContext) async throws {
        guard let before = try await identities.find(id) else { throw ServerError.notFound }
        let schema = try drafts.schema(draft.schemaID ?? before.schemaID)
        let traits = try drafts.traits(draft.traits, schema: schema, optional: before.waivedFields)
        let hash = try await drafts.passwordHash(of: draft, traits: traits, schema: schema)
        try await change(id, passwordHash: hash, in: context) { [random] identity in
            let changed = identity.with(
                traits: traits,
                schema: schema,
                at: context.now,
                random: random
            )
            let settled = try changed.applying(draft, at: context.now)
                .with(state: draft.state ?? identity.state, at: context.now)
            return settled.vouched(at: context.now, except: settled.withdrawnAddresses(since: identity))
        }
    }

    /// Applies a JSON patch to an identity.
    ///
    /// The patch is applied in the transaction that saves the result, so concurrent changes are not lost. If
    /// the patch changes traits or addresses, the operator vouches for all addresses of the identity, except
    /// those whose verification the patch withdraws. Sessions are revoked and codes are invalidated under the
    /// same conditions as in ``replace(_:with:in:)``.
    ///
    /// - Throws: ``ServerError`` with status 404 if the identity doesn't exist, 400 if the result is invalid,
    ///   or 409 if the result conflicts with another identity.
    func patch(_ id: Identifier, with patch: IdentityPatch, in context: RequestContext) async throws {
        try await change(id, in: context) { identity in
            let draft = try patch.draft(of: identity)
            let schema = try drafts.schema(draft.schemaID ?? identity.schemaID)
            let traits = try drafts.traits(draft.traits, schema: schema, optional: identity.waivedFields)
            let changed = identity.with(
                traits: traits,
                schema: schema,
                at: context.now,
                random: random
            )
            let settled = try changed.applying(draft, at: context.now)
                .with(state: draft.state ?? identity.state, at: context.now)
            guard patch.changesAddresses else { return settled }
            return settled.vouched(at: context.now, except: settled.withdrawnAddresses(since: identity))
        }
    }

    /// Deletes an identity and all of its data.
    ///
    /// The audit log retains the identity's id and keyed hashes of its identifiers.
    ///
    /// - Throws: ``ServerError`` with status 404 if the identity doesn't exist.
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

    /// Releases an address so that its new owner can use it.
    ///
    /// The accounts that had the address can no longer use it for login, verification or recovery, but it
    /// remains in their traits. The accounts keep their sessions and passwords, but their open codes are
    /// invalidated and their known networks are forgotten. An audit event with the channel, but without the
    /// address, is recorded for each account.
    ///
    /// - Parameters:
    ///   - address: The normalized address.
    ///   - context: The request context.
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
                let released = old.releasing(address, by: drafts.schemas[old.schemaID], at: now)
                try IdentityRepository.save(released, replacing: old, in: transaction)
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

    /// Deletes an identity's password and revokes its sessions.
    ///
    /// This method also invalidates the account's unused codes and clears its list of known networks.
    ///
    /// - Throws: ``ServerError`` with status 404 if the identity doesn't exist or has no password, or 400 if
    ///   the user couldn't enter the account without the password.
    func removePassword(of id: Identifier, in context: RequestContext) async throws {
        let event = event(.passwordRemoved, of: id, in: context)
        try await transaction { [drafts] transaction in
            _ = try IdentityRepository.confirm(id, in: transaction)
            if let identity = try IdentityRepository.load(id, in: transaction) {
                try drafts.requireEntrance(
                    to: identity,
                    replacing: identity,
                    hasPassword: false,
                    hadPassword: IdentityRepository.passwordHash(of: id, in: transaction) != nil
                )
            }
            guard try IdentityRepository.removePassword(of: id, in: transaction) else {
                throw ServerError(404, reason: "The identity does not exist or has no password.")
            }
            try endAccess(to: id, at: context.now, in: transaction)
            try AuditLog.append(event, in: transaction)
        }
    }

    /// Loads, changes and saves an identity, and revokes any sessions and codes that the change invalidates.
    ///
    /// - Parameters:
    ///   - id: The identity's id.
    ///   - passwordHash: The hash of the new password, or `nil` to keep the current password.
    ///   - context: The request context.
    ///   - change: A closure that returns the changed identity. The closure is called again if the
    ///     transaction is retried.
    /// - Throws: ``ServerError`` with status 404 or 409, or any error thrown by `change`.
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
            let hadPassword = try IdentityRepository.passwordHash(of: id, in: transaction) != nil
            try drafts.requireEntrance(
                to: new,
                replacing: old,
                hasPassword: hadPassword || passwordHash != nil,
                hadPassword: hadPassword
            )
            try IdentityRepository.save(new, replacing: old, in: transaction)
            if let passwordHash {
                try IdentityRepository.setPassword(passwordHash, of: id, at: context.now, in: transaction)
                try passwordLimits.endWaits(of: id, at: context.now, in: transaction)
            }
            if passwordHash != nil || new.state == .inactive {
                try endAccess(to: id, at: context.now, in: transaction)
            } else if new.changesAccess(of: old) {
                try OpenCodes.void(of: id, at: context.now, random: random, in: transaction)
                try KnownNetworks.forget(id, in: transaction)
            }
            for action in AuditAction.changes(from: old, to: new)
                + (passwordHash == nil ? [] : [.passwordChanged])
            {
                try AuditLog.append(event(action, of: id, in: context), in: transaction)
            }
        }
    }

    /// Revokes an account's sessions and grants, invalidates its open codes and flows, and forgets its known networks.
    private func endAccess(
        to id: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        try SessionRepository.revokeAll(of: id, at: now, in: transaction)
        try data.endGrants(of: id, at: now, in: transaction)
        try OpenCodes.void(of: id, at: now, random: random, in: transaction)
        try KnownNetworks.forget(id, in: transaction)
    }

    /// Runs a transaction and turns ``IdentityRepository/Duplicate`` into an error with status 409.
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
}
