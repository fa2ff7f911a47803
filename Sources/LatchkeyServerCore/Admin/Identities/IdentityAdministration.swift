import LatchkeyModel
import LatchkeyWire

/// What an operator does to identities; each deed is written down in the audit log in its own transaction.
struct IdentityAdministration: Sendable {
    private let context: ServerContext

    init(_ context: ServerContext) {
        self.context = context
    }

    /// Makes an identity.
    ///
    /// - Parameters:
    ///   - draft: What it is to be.
    ///   - exchange: The request.
    /// - Returns: Its id.
    /// - Throws: 400 for what does not fit, 409 when somebody has an identifier or an address.
    func create(_ draft: IdentityDraft, _ exchange: Exchange) async throws -> Identifier {
        let schema = try schema(draft.schemaID ?? context.settings.defaultSchema)
        let traits = try self.traits(draft.traits, schema)
        let hash = try await passwordHash(draft, traits, schema)
        let now = exchange.now
        let made = Identity(schema, traits, verified: [], at: now, random: context.random)
        let identity = Self.settled(made, draft, at: now)
            .with(state: draft.state ?? .active, at: now)
            .vouched(at: now)
        let isImport = if case .hashed? = draft.password { true } else { false }
        let event = event(isImport ? .imported : .created, of: identity.id, exchange)
        try await transaction { transaction in
            try IdentityRepository.insert(identity, passwordHash: hash, in: transaction)
            try AuditLog.append(event, in: transaction)
        }
        return identity.id
    }

    /// Makes an identity what a draft says: whatever the draft leaves out is gone, but the state and the password.
    func replace(_ id: Identifier, with draft: IdentityDraft, _ exchange: Exchange) async throws {
        guard let before = try await IdentityRepository(context).find(id) else { throw ServerError.notFound }
        let schema = try schema(draft.schemaID ?? before.schemaID)
        let traits = try self.traits(draft.traits, schema, optional: before.releasedFields(schema))
        let hash = try await passwordHash(draft, traits, schema)
        try await change(id, passwordHash: hash, exchange) { [context] identity in
            let changed = identity.with(
                traits: traits,
                schema: schema,
                at: exchange.now,
                random: context.random
            )
            return Self.settled(changed, draft, at: exchange.now)
                .with(state: draft.state ?? identity.state, at: exchange.now)
                .vouched(at: exchange.now)
        }
    }

    /// Applies a patch to an identity.
    func patch(_ id: Identifier, _ patch: IdentityPatch, _ exchange: Exchange) async throws {
        try await change(id, exchange) { identity in
            let draft = try patch.draft(of: identity)
            let schema = try self.schema(draft.schemaID ?? identity.schemaID)
            let released = identity.record.releasedFields(schema)
            let traits = try self.traits(draft.traits, schema, optional: released)
            let changed = identity.with(
                traits: traits,
                schema: schema,
                at: exchange.now,
                random: context.random
            )
            let settled = Self.settled(changed, draft, at: exchange.now, withdraws: true)
                .with(state: draft.state ?? identity.state, at: exchange.now)
            guard patch.namesAddresses else { return settled }
            let verified = Set(settled.verifiable.filter(\.isVerified).map(\.address))
            let withdrawn = identity.verifiable.filter(\.isVerified).map(\.address)
            return settled.vouched(at: exchange.now, except: Set(withdrawn).subtracting(verified))
        }
    }

    /// Deletes an identity and all that belongs to it; the audit log keeps its id and a keyed hash of its addresses.
    func delete(_ id: Identifier, _ exchange: Exchange) async throws {
        let erasure = AccountErasure(context)
        try await transaction { transaction in
            guard let identity = try IdentityRepository.load(id, in: transaction) else {
                throw ServerError.notFound
            }
            try erasure.erase(identity, at: exchange.now, in: transaction)
            let event = context.event(
                .deleted,
                of: id,
                by: .operator,
                in: exchange,
                about: erasure.trace(of: identity),
                at: exchange.now
            )
            try AuditLog.append(event, in: transaction)
        }
    }

    /// Takes all roles of an address from the accounts that have it, so that its new owner can use it.
    ///
    /// - Returns: The accounts that had it.
    /// - Throws: 404 if no account has it.
    func release(_ address: Traits.Address, _ exchange: Exchange) async throws -> [Identifier] {
        let now = exchange.now
        return try await transaction { transaction in
            let holders = try AddressStateRepository.holders(of: address, in: transaction)
            guard !holders.isEmpty else { throw ServerError(404, reason: "No account has this address.") }
            for id in holders {
                guard let old = try IdentityRepository.load(id, in: transaction) else { continue }
                try OpenCodes.void(of: id, at: now, random: context.random, in: transaction)
                try KnownNetworks.forget(id, in: transaction)
                try IdentityRepository.save(old.releasing(address, at: now), replacing: old, in: transaction)
                let event = context.event(
                    .addressReleased,
                    of: id,
                    by: .operator,
                    in: exchange,
                    about: address.via.rawValue,
                    at: now
                )
                try AuditLog.append(event, in: transaction)
            }
            return holders
        }
    }

    /// Takes an identity's password away.
    func removePassword(of id: Identifier, _ exchange: Exchange) async throws {
        let event = event(.passwordRemoved, of: id, exchange)
        try await transaction { transaction in
            _ = try IdentityRepository.confirm(id, in: transaction)
            guard try IdentityRepository.removePassword(of: id, in: transaction) else {
                throw ServerError(404, reason: "There is no such identity, or it has no password.")
            }
            try endAccess(to: id, at: exchange.now, in: transaction)
            try AuditLog.append(event, in: transaction)
        }
    }

    /// Changes an identity on top of whatever others do to it.
    ///
    /// - Parameters:
    ///   - id: The identity.
    ///   - passwordHash: The hash of its new password; nothing leaves the one that it has.
    ///   - exchange: The request.
    ///   - change: Makes the change.
    /// - Throws: 404, 409, and what the change throws.
    private func change(
        _ id: Identifier,
        passwordHash: String? = nil,
        _ exchange: Exchange,
        _ change: @escaping @Sendable (Identity) throws -> Identity
    ) async throws {
        try await transaction { transaction in
            guard let old = try IdentityRepository.load(id, in: transaction) else {
                throw ServerError.notFound
            }
            let new = try change(old)
            try IdentityRepository.save(new, replacing: old, in: transaction)
            if let passwordHash {
                try IdentityRepository.setPassword(passwordHash, of: id, at: exchange.now, in: transaction)
            }
            if passwordHash != nil || new.state == .inactive {
                try endAccess(to: id, at: exchange.now, in: transaction)
            } else if new.changesAccess(of: old) {
                try OpenCodes.void(of: id, at: exchange.now, random: context.random, in: transaction)
                try KnownNetworks.forget(id, in: transaction)
            }
            for deed in Self.deeds(from: old, to: new) + (passwordHash == nil ? [] : [.passwordChanged]) {
                try AuditLog.append(event(deed, of: id, exchange), in: transaction)
            }
        }
    }

    /// Ends all sessions, codes and flows of an account.
    private func endAccess(
        to id: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        try SessionRepository.revokeAll(of: id, at: now, in: transaction)
        try OpenCodes.void(of: id, at: now, random: context.random, in: transaction)
        try KnownNetworks.forget(id, in: transaction)
    }

    private func transaction<Outcome: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
    ) async throws -> Outcome {
        do {
            return try await context.database.transaction(body)
        } catch is IdentityRepository.Duplicate {
            throw ServerError(409, reason: "Another identity has this identifier, address or external id.")
        }
    }

    private func event(_ deed: AuditDeed, of id: Identifier, _ exchange: Exchange) -> AuditEvent {
        AuditEvent(deed, of: id, by: .operator, in: exchange, at: exchange.now, random: context.random)
    }

    private func schema(_ id: String) throws(ServerError) -> IdentitySchema {
        guard let schema = context.schemas[id] else {
            throw .malformed("There is no identity schema of the name in schema_id.")
        }
        return schema
    }

    private func traits(
        _ submitted: OrderedJSON?,
        _ schema: IdentitySchema,
        optional: Set<String> = []
    ) throws(ServerError) -> Traits {
        var form = Form()
        let traits = TraitReader.read(submitted, schema, optional: optional, into: &form)
        guard let traits else { throw .unfit(form) }
        return traits
    }

    private func passwordHash(_ draft: IdentityDraft, _ traits: Traits, _ schema: IdentitySchema) async throws
        -> String?
    {
        switch draft.password {
        case nil: return nil
        case .hashed(let hash)?: return hash.text
        case .plain(let password)?:
            guard password.exposed.utf8.count <= context.settings.maximumPasswordLength else {
                throw ServerError.malformed("The password is too long.")
            }
            let policy = PasswordPolicy(schema.policy, context.settings)
            if draft.checksPassword,
                let refusal = policy.refusal(of: password, identifiers: traits.identifiers)
            {
                var form = Form()
                form.refuse("password", refusal)
                throw ServerError.unfit(form)
            }
            if draft.checksPassword, let refusal = try await BreachCheck(context).refusal(of: password) {
                var form = Form()
                form.refuse("password", refusal)
                throw ServerError.unfit(form)
            }
            return try await context.hasher.hash(password)
        }
    }

    /// The identity with what a draft says beside traits and state.
    private static func settled(
        _ identity: Identity,
        _ draft: IdentityDraft,
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

    private static func deeds(from old: Identity, to new: Identity) -> [AuditDeed] {
        var deeds: [AuditDeed] = []
        if old.traits != new.traits || old.schemaID != new.schemaID { deeds.append(.traitsChanged) }
        if old.publicMetadata != new.publicMetadata || old.adminMetadata != new.adminMetadata
            || old.externalID != new.externalID
        {
            deeds.append(.metadataChanged)
        }
        let verified = Set(old.verifiable.filter(\.isVerified).map(\.id))
        if new.verifiable.contains(where: { $0.isVerified && !verified.contains($0.id) }) {
            deeds.append(.addressVerified)
        }
        if old.state != new.state { deeds.append(new.state == .active ? .enabled : .disabled) }
        return deeds
    }
}

extension ServerError {
    /// Traits or a password that do not fit, a line for each field.
    fileprivate static func unfit(_ form: Form) -> ServerError {
        let words = FormTexts.builtIn[.english]
        let lines = form.fieldMessages.map { "\($0.field): \(words.text(of: $0.message))" }
        return .malformed(lines.isEmpty ? "The traits do not fit the schema." : lines.joined(separator: "\n"))
    }
}
