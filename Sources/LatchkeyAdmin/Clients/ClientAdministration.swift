import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The operations that operators can perform on OAuth clients.
///
/// Each operation is recorded in the audit log, in the same transaction, and is effective on this node as
/// soon as it is committed.
struct ClientAdministration: Sendable {
    /// How long the earlier secret stays valid after a rotation, unless the operator chooses.
    static let usualOverlap: Duration = .seconds(86_400)
    /// The longest time that two secrets can be valid.
    static let longestOverlap: Duration = .seconds(90 * 86_400)

    private let registry: ClientRegistry
    private let rules: ClientRules
    private let hasher: any PasswordHasher
    private let data: AccountData
    private let random: any RandomSource
    private let audit: AuditLog
    private let database: any Database

    init(
        registry: ClientRegistry,
        rules: ClientRules,
        hasher: any PasswordHasher,
        data: AccountData,
        random: any RandomSource,
        audit: AuditLog,
        database: any Database
    ) {
        self.registry = registry
        self.rules = rules
        self.hasher = hasher
        self.data = data
        self.random = random
        self.audit = audit
        self.database = database
    }

    /// Registers a client.
    ///
    /// A client without an id gets a random UUID, and a confidential client without a secret gets a random
    /// one.
    ///
    /// - Throws: ``ServerError`` with status 400 if the metadata is invalid or the id is the one of the
    ///   server's own app, or 409 if the id is taken.
    func create(_ body: OrderedJSON, in context: RequestContext) async throws -> AdministeredClient {
        let metadata = try ClientMetadata(body, rules: rules)
        let id = try Self.id(in: body) ?? Identifier(random: random).description
        guard id != registry.ownAppID else {
            throw ServerError.malformed(
                "The client_id \(id) is reserved for this server's own app (tokens.client_id)."
            )
        }
        let given = try await givenSecret(in: body, of: metadata)
        let secret = metadata.isConfidential ? given ?? NewClientSecret(random: random) : nil
        let client = OAuthClient(
            id: id,
            metadata: metadata,
            secrets: ClientSecrets(secret?.hash),
            createdAt: context.now,
            updatedAt: context.now
        )
        let event = event(.clientCreated, of: id, in: context)
        try await database.transaction { [registry] transaction in
            guard try ClientRepository.insert(client, in: transaction) else {
                throw ServerError(409, reason: "Another client has this client_id.")
            }
            try registry.forget(id, after: transaction)
            try AuditLog.append(event, in: transaction)
        }
        return AdministeredClient(client: client, secret: secret?.secret)
    }

    /// Replaces a client's metadata.
    ///
    /// Members that the body doesn't have get their default values, except the secret, which stays the same.
    ///
    /// - Throws: ``ServerError`` with status 404 if the client doesn't exist, or 400 if the metadata is
    ///   invalid.
    func replace(_ id: String, with body: OrderedJSON, in context: RequestContext) async throws
        -> AdministeredClient
    {
        let metadata = try ClientMetadata(body, rules: rules)
        guard try Self.id(in: body) ?? id == id else {
            throw ServerError.malformed("The member client_id cannot be changed.")
        }
        let given = try await givenSecret(in: body, of: metadata)
        return try await change(id, secret: given, in: context) { client in client.metadata = metadata }
    }

    /// Applies a JSON patch to a client's metadata.
    ///
    /// The patch is applied in the transaction that saves the result, so concurrent changes are not lost.
    ///
    /// - Throws: ``ServerError`` with status 404 if the client doesn't exist, or 400 if the patch can't be
    ///   applied or its result is invalid.
    func patch(_ id: String, with body: OrderedJSON, in context: RequestContext) async throws
        -> AdministeredClient
    {
        let patch = try ClientPatch(body)
        let given = try await patch.secret.asyncMap { try await newSecret($0) }
        return try await change(id, secret: given, in: context) { [rules] client in
            client.metadata = try ClientMetadata(try patch.applied(to: client.metadata), rules: rules)
            if given != nil { try Self.requireConfidential(client.metadata) }
        }
    }

    /// Replaces the lifespans of a client's tokens, and keeps everything else.
    ///
    /// - Throws: ``ServerError`` with status 404 if the client doesn't exist, or 400 if a lifespan is invalid.
    func setLifespans(
        of id: String,
        to body: OrderedJSON,
        in context: RequestContext
    ) async throws -> AdministeredClient {
        guard case .object = body else { throw ServerError.malformed("The body must be a JSON object.") }
        let names = Set(ClientMetadata.Lifespan.allCases.map(\.rawValue))
        return try await change(id, in: context) { [rules] client in
            let others = client.metadata.document.filter { !names.contains($0.name) }
            let lifespans = names.map { OrderedJSON.Member(name: $0, value: body[$0] ?? .null) }
            client.metadata = try ClientMetadata(.object(others + lifespans), rules: rules)
        }
    }

    /// Gives a client a new secret, while its earlier one stays valid for some time.
    ///
    /// - Parameters:
    ///   - id: The client's id.
    ///   - body: An object with the optional members `client_secret` and `previous_secret_lifespan`.
    ///   - context: The request context.
    /// - Returns: The client and its new secret.
    /// - Throws: ``ServerError`` with status 404 if the client doesn't exist, or 400 if it has no secret or a
    ///   member is invalid.
    func rotateSecret(of id: String, with body: OrderedJSON, in context: RequestContext) async throws
        -> AdministeredClient
    {
        let overlap = try Self.overlap(in: body)
        let new: NewClientSecret
        if let given = try Self.secret(in: body) {
            new = try await newSecret(given)
        } else {
            new = NewClientSecret(random: random)
        }
        let end = context.now + overlap
        let client = try await changeSecrets(of: id, .clientSecretRotated, in: context) {
            $0.rotated(to: new.hash, until: end)
        }
        return AdministeredClient(client: client, secret: new.secret)
    }

    /// Ends the validity of the secret before the last rotation.
    ///
    /// - Throws: ``ServerError`` with status 404 if the client doesn't exist, or 400 if it has no secret.
    func revokePreviousSecret(of id: String, in context: RequestContext) async throws -> AdministeredClient {
        let client = try await changeSecrets(of: id, .clientSecretRevoked, in: context) {
            ClientSecrets($0.current)
        }
        return AdministeredClient(client: client, secret: nil)
    }

    /// Deletes a client and ends its grants.
    ///
    /// - Throws: ``ServerError`` with status 404 if the client doesn't exist.
    func delete(_ id: String, in context: RequestContext) async throws {
        let event = event(.clientDeleted, of: id, in: context)
        try await database.transaction { [registry, data] transaction in
            try ClientRepository.lock(in: transaction)
            guard try ClientRepository.delete(id, in: transaction) else { throw ServerError.notFound }
            try data.endGrants(ofClient: id, at: context.now, in: transaction)
            try registry.forget(id, after: transaction)
            try AuditLog.append(event, in: transaction)
        }
    }

    // MARK: Changes

    /// Loads, changes and saves a client.
    ///
    /// A client that becomes confidential gets a secret, and one that no longer is loses its secrets.
    private func change(
        _ id: String,
        secret given: NewClientSecret? = nil,
        in context: RequestContext,
        by change: @escaping @Sendable (inout OAuthClient) throws -> Void
    ) async throws -> AdministeredClient {
        // The body of a transaction may run several times, and a secret must not change in between.
        let generated = NewClientSecret(random: random)
        return try await database.transaction { [registry, data] transaction in
            try ClientRepository.lock(in: transaction)
            guard let old = try ClientRepository.load(id, in: transaction) else { throw ServerError.notFound }
            var new = old
            try change(&new)
            new.updatedAt = context.now
            let isNew = new.metadata.isConfidential && old.secrets.current == nil
            let secret = given ?? (isNew ? generated : nil)
            if !new.metadata.isConfidential {
                new.secrets = ClientSecrets()
            } else if let secret {
                new.secrets = ClientSecrets(secret.hash)
            }
            try ClientRepository.update(new, in: transaction)
            if new.isDisabled, !old.isDisabled {
                try data.endGrants(ofClient: id, at: context.now, in: transaction)
            }
            try registry.forget(id, after: transaction)
            for action in Self.actions(from: old, to: new) {
                try AuditLog.append(event(action, of: id, in: context), in: transaction)
            }
            return AdministeredClient(client: new, secret: secret?.secret)
        }
    }

    private func changeSecrets(
        of id: String,
        _ action: AuditAction,
        in context: RequestContext,
        by change: @escaping @Sendable (ClientSecrets) -> ClientSecrets
    ) async throws -> OAuthClient {
        let event = event(action, of: id, in: context)
        return try await database.transaction { [registry] transaction in
            guard var client = try ClientRepository.load(id, in: transaction) else {
                throw ServerError.notFound
            }
            try Self.requireConfidential(client.metadata)
            client.secrets = change(client.secrets)
            client.updatedAt = context.now
            try ClientRepository.update(client, in: transaction)
            try registry.forget(id, after: transaction)
            try AuditLog.append(event, in: transaction)
            return client
        }
    }

    private static func actions(from old: OAuthClient, to new: OAuthClient) -> [AuditAction] {
        var actions: [AuditAction] = [.clientChanged]
        if new.isDisabled != old.isDisabled {
            actions.append(new.isDisabled ? .clientDisabled : .clientEnabled)
        }
        if new.secrets != old.secrets { actions.append(.clientSecretChanged) }
        return actions
    }

    private func event(_ action: AuditAction, of id: String, in context: RequestContext) -> AuditEvent {
        audit.event(action, of: .nilUUID, by: .operator, in: context, about: id, at: context.now)
    }

    // MARK: Members

    private static func id(in body: OrderedJSON) throws(ServerError) -> String? {
        guard let id = try text("client_id", in: body) else { return nil }
        guard OAuthClient.isID(id) else {
            throw .malformed(
                "The member client_id must consist of at most \(OAuthClient.longestID) letters, digits and -._~:/@."
            )
        }
        return id
    }

    private static func secret(in body: OrderedJSON) throws(ServerError) -> Secret? {
        try text("client_secret", in: body).map { Secret($0) }
    }

    /// Returns a string that isn't empty, or `nil` if it is missing, null or empty.
    private static func text(_ name: String, in body: OrderedJSON) throws(ServerError) -> String? {
        switch body[name] {
        case nil, .null?: return nil
        case .string(let text)?: return text.isEmpty ? nil : text
        default: throw .malformed("The member \(name) must be a string.")
        }
    }

    private static func overlap(in body: OrderedJSON) throws(ServerError) -> Duration {
        let name = "previous_secret_lifespan"
        guard let text = try text(name, in: body) else { return usualOverlap }
        guard let overlap = Duration(goText: text), overlap <= longestOverlap else {
            throw .malformed("The member \(name) must be a duration of at most 2160h, such as 1h or 1m30s.")
        }
        return overlap
    }

    private func givenSecret(
        in body: OrderedJSON,
        of metadata: ClientMetadata
    ) async throws -> NewClientSecret? {
        guard let secret = try Self.secret(in: body) else { return nil }
        try Self.requireConfidential(metadata)
        return try await newSecret(secret)
    }

    private func newSecret(_ secret: Secret) async throws -> NewClientSecret {
        guard NewClientSecret.isAllowed(secret) else {
            throw ServerError.malformed(
                "The member client_secret must consist of \(NewClientSecret.shortest) to \(NewClientSecret.longest) printable ASCII characters."
            )
        }
        return try await NewClientSecret(secret, hasher: hasher)
    }

    private static func requireConfidential(_ metadata: ClientMetadata) throws(ServerError) {
        guard metadata.isConfidential else {
            throw .malformed("A client whose token_endpoint_auth_method is none has no secret.")
        }
    }
}

extension Optional {
    /// Returns the result of an asynchronous closure, or `nil` if there is no value.
    fileprivate func asyncMap<Result>(_ transform: (Wrapped) async throws -> Result) async rethrows -> Result?
    {
        if let self { try await transform(self) } else { nil }
    }
}
