package import LatchkeyModel
package import LatchkeyWire

/// What an operator does with identities, beside the API that people use.
package struct IdentityAdministration: Sendable {
    /// An identity that cannot be made.
    package enum Refusal: Error, Sendable {
        /// There is no schema of this name.
        case unknownSchema

        /// Traits or password do not fit; what is wrong, with the field it belongs to.
        case unfit([Form.FieldMessage])

        /// Somebody has one of the identifiers or addresses.
        case duplicate
    }

    private let context: ServerContext

    package init(_ context: ServerContext) {
        self.context = context
    }

    /// Makes an identity with a password; the operator vouches for its phone number and addresses.
    ///
    /// - Parameters:
    ///   - schemaID: The name of its schema.
    ///   - traits: Its traits.
    ///   - password: Its password.
    /// - Returns: The identity.
    /// - Throws: ``Refusal``; ``DatabaseError`` or ``PasswordHasherError`` when it could not be done.
    package func create(_ schemaID: String, traits: JSONValue, password: Secret) async throws
        -> IdentityRecord
    {
        guard let schema = context.schemas[schemaID] else { throw Refusal.unknownSchema }
        var form = Form()
        let read = TraitReader.read(try Self.ordered(traits), schema, into: &form)
        guard let read else { throw Refusal.unfit(form.fieldMessages) }
        let policy = PasswordPolicy(schema.policy, context.settings)
        if let refusal = policy.refusal(of: password, identifiers: read.identifiers) {
            form.refuse("password", refusal)
            throw Refusal.unfit(form.fieldMessages)
        }
        let hash = try await context.hasher.hash(password)
        let identity = Identity(
            schema,
            read,
            verified: Set(read.verifiable.map(\.value)),
            at: context.time.now,
            random: context.random
        )
        do {
            try await context.database.transaction { transaction in
                try IdentityRepository.insert(identity, passwordHash: hash, in: transaction)
            }
        } catch is IdentityRepository.Duplicate {
            throw Refusal.duplicate
        }
        return identity.record
    }

    /// Finds an identity by its id, or by what it logs in with.
    package func find(_ text: String) async throws -> IdentityRecord? {
        let repository = IdentityRepository(context)
        if let id = Identifier(text) { return try await repository.find(id) }
        return try await repository.find(identifier: LoginIdentifier.normalize(text))?.identity
    }

    /// Closes an account: it cannot log in, and its sessions are over.
    ///
    /// - Returns: Whether it was open.
    package func disable(_ identity: IdentityRecord) async throws -> Bool {
        let now = context.time.now
        return try await context.database.transaction { transaction in
            guard let old = try IdentityRepository.load(identity.id, in: transaction), old.state == .active
            else {
                return false
            }
            let new = old.with(state: .inactive, at: now)
            guard try IdentityRepository.save(new, replacing: old, in: transaction) else { return false }
            try SessionRepository.revokeAll(of: identity.id, at: now, in: transaction)
            return true
        }
    }

    /// Writes an identity as its owner sees it.
    package func json(_ identity: IdentityRecord) -> [UInt8] {
        var writer = JSONWriter()
        IdentityWriter(context).write(identity, to: &writer)
        return writer.bytes
    }

    private static func ordered(_ value: JSONValue) throws -> OrderedJSON {
        try JSONParser.parse(JSONCoding.encode(value))
    }
}
