package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit

/// Stores and looks up flows.
///
/// A flow that was started with no parameters except an identity schema isn't stored before its first
/// submission. The id of such a flow encodes the time of issue and the schema (``FlowIdentifier``). The
/// static functions run in the caller's transaction, so a flow changes atomically with the codes, sessions
/// and identities that depend on it.
package struct FlowRepository: Sendable {
    private static let byID: SQL = "SELECT \(Flow.columns) FROM flows WHERE id = $1 AND kind = $2"

    private let database: any Database
    private let settings: FlowSettings
    private let plain: PlainParameters
    private let identifier: FlowIdentifier

    /// The schemas that an id can be issued for.
    ///
    /// `nil` means that the request didn't name a schema, which is the most common case.
    private let schemas: [String?]

    /// The types of client that the server responds to.
    private let types: [FlowType]

    /// Creates a repository.
    ///
    /// The schemas, URLs, lifespans and secrets must be the same on all nodes, because flows that aren't
    /// stored are restored from them.
    package init(
        database: any Database,
        settings: FlowSettings,
        schemas: SchemaCatalog,
        urls: ServerURLs,
        secrets: ServerSecrets,
        types: [FlowType] = [.api]
    ) {
        self.types = types
        self.database = database
        self.settings = settings
        plain = PlainParameters(schemas: schemas, urls: urls)
        identifier = FlowIdentifier(secrets: secrets)
        self.schemas = [nil] + schemas.all.map(\.id)
    }

    /// Looks up a flow in the database.
    ///
    /// If the flow isn't stored, it is restored from its id.
    ///
    /// The flow is read outside of any transaction, so a later write must check again whether the flow is
    /// still open. The flow's language is English until the caller sets another one.
    ///
    /// - Returns: The flow, even if it was completed or has expired, or `nil` if the id is unknown or the
    ///   flow is of another kind.
    /// - Throws: ``DatabaseError``, for example if a newer version of the server has written the row.
    package func find(_ id: Identifier, kind: FlowKind) async throws -> Flow? {
        let rows = try await database.rows(
            Self.byID,
            .identifier(id),
            .text(kind.rawValue)
        )
        if let row = rows.first { return try Flow(row: row) }
        for type in types {
            for schema in schemas {
                guard let issuedAt = identifier.issuedAt(id, as: kind, type: type, schema: schema) else {
                    continue
                }
                return Flow(
                    id: id,
                    kind: kind,
                    parameters: plain[kind, type, schema],
                    issuedAt: issuedAt,
                    lifespan: settings.lifespan(of: kind)
                )
            }
        }
        return nil
    }

    /// Returns how long flows of a kind last.
    func lifespan(of kind: FlowKind) -> Duration { settings.lifespan(of: kind) }

    /// Returns whether a browser's flow belongs to the browser with a secret.
    func isBound(_ flow: Flow, to browser: CSRFSecret) -> Bool {
        identifier.isBound(flow.id, to: browser)
    }

    /// Creates a flow without saving it.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - type: The type of client of a flow without parameters.
    ///   - parameters: The parameters, or `nil` if there are none besides `schema`. A flow with other
    ///     parameters must be saved.
    ///   - schema: The identity schema that the request named, or `nil` if it didn't name one.
    ///   - browser: The secret of the browser that the flow belongs to, or `nil` for native apps.
    ///   - now: The time of issue, which is truncated to milliseconds.
    ///   - random: The source of the random bits in the id.
    /// - Returns: The flow in its initial state.
    package func begin(
        _ kind: FlowKind,
        type: FlowType = .api,
        parameters: FlowParameters? = nil,
        schema: String? = nil,
        boundTo browser: CSRFSecret? = nil,
        at now: Timestamp,
        random: some RandomSource
    ) -> Flow {
        // We truncate the time to milliseconds, which is the precision of the id. Otherwise, a flow that is
        // restored from its id would have a different time.
        let issuedAt = Timestamp(microseconds: now.microseconds - now.microseconds % 1000)
        let parameters = parameters ?? plain[kind, type, schema]
        let other = plain.isStandard(parameters.schemaID) ? nil : parameters.schemaID
        return Flow(
            id: identifier.issue(
                kind,
                type: parameters.type,
                schema: schema ?? other,
                boundTo: parameters.type == .browser ? browser : nil,
                at: issuedAt,
                random: random
            ),
            kind: kind,
            parameters: parameters,
            issuedAt: issuedAt,
            lifespan: settings.lifespan(of: kind)
        )
    }

    /// Inserts a flow unless it already exists.
    ///
    /// Existing flows aren't changed.
    ///
    /// The verified phone number and the completion time aren't inserted, because a new flow doesn't have
    /// them yet.
    ///
    /// - Throws: ``DatabaseError``.
    package static func insert(_ flow: Flow, in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute(
            """
            INSERT INTO flows (id, kind, type, schema_id, state, request_url, return_to, active, form, refresh, \
            aal, identity_id, issued_at, expires_at, created_at, updated_at, address, traits, session_id, \
            login_challenge, client_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, \
            $16, $17, $18, $19, $20, $21) \
            ON CONFLICT (id) DO NOTHING
            """,
            .identifier(flow.id),
            .text(flow.kind.rawValue),
            .text(flow.type.rawValue),
            .text(flow.schemaID),
            .text(flow.state.rawValue),
            .text(flow.requestURL),
            .optional(flow.returnTo),
            .optional(flow.active),
            flow.storedForm.map { .blob($0) } ?? .null,
            .bool(flow.refresh),
            .text(flow.requestedAAL.rawValue),
            .identifier(flow.identityID),
            .time(flow.issuedAt),
            .time(flow.expiresAt),
            .time(flow.createdAt),
            .time(flow.updatedAt),
            .optional(flow.address),
            flow.traits.map { .blob($0) } ?? .null,
            .identifier(flow.sessionID),
            .identifier(flow.loginChallenge),
            .optional(flow.clientID)
        )
    }

    /// Saves the state of a flow after a submission that didn't complete it.
    ///
    /// If the flow isn't stored yet, it is inserted. The expiry isn't checked.
    ///
    /// - Returns: `false` if another request has completed the flow. In that case, the stored flow isn't
    ///   changed.
    /// - Throws: ``DatabaseError``.
    @discardableResult
    package static func update(_ flow: Flow, in transaction: borrowing Transaction) throws(DatabaseError)
        -> Bool
    {
        try insert(flow, in: transaction)
        return try transaction.execute(
            """
            UPDATE flows SET active = $1, form = $2, updated_at = $3, state = $4, address = $5, traits = $6 \
            WHERE id = $7 AND completed_at IS NULL
            """,
            .optional(flow.active),
            flow.storedForm.map { .blob($0) } ?? .null,
            .time(flow.updatedAt),
            .text(flow.state.rawValue),
            .optional(flow.address),
            flow.traits.map { .blob($0) } ?? .null,
            .identifier(flow.id)
        ) == 1
    }

    /// Prepares a flow for verifying a phone number.
    ///
    /// If another number has been verified in the flow, that result is discarded.
    ///
    /// The flow must already be stored.
    ///
    /// - Returns: `false` if the flow was completed or has expired.
    /// - Throws: ``DatabaseError``.
    package static func beginVerifying(
        _ phone: PhoneNumber,
        flow: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE flows SET updated_at = $1, \
            verified_phone = CASE WHEN verified_phone = $2 THEN verified_phone ELSE NULL END \
            WHERE id = $3 AND completed_at IS NULL AND expires_at > $1
            """,
            .time(now),
            .text(phone.e164),
            .identifier(flow)
        ) == 1
    }

    /// Records that a phone number was verified in a flow.
    ///
    /// The flow must already be stored.
    ///
    /// - Returns: `false` if the flow was completed or has expired.
    /// - Throws: ``DatabaseError``.
    package static func markVerified(
        _ phone: PhoneNumber,
        flow: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE flows SET verified_phone = $1, updated_at = $2 \
            WHERE id = $3 AND completed_at IS NULL AND expires_at > $2
            """,
            .text(phone.e164),
            .time(now),
            .identifier(flow)
        ) == 1
    }

    /// Records that a registration has proven an address with a code and isn't waiting for a code anymore.
    ///
    /// The flow must already be stored.
    ///
    /// - Returns: `false` if the flow was completed or has expired.
    /// - Throws: ``DatabaseError``.
    static func addProof(
        of address: ContactAddress,
        flow: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            UPDATE flows SET proven = COALESCE(proven, '') || $1, address = NULL, updated_at = $2 \
            WHERE id = $3 AND completed_at IS NULL AND expires_at > $2
            """,
            .text(address.value + "\n"),
            .time(now),
            .identifier(flow)
        ) == 1
    }

    /// Returns the addresses that a registration has proven with codes, in the order of their proofs.
    ///
    /// - Throws: ``DatabaseError``.
    static func proofs(
        of flow: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [ContactAddress] {
        let rows = try transaction.rows("SELECT proven FROM flows WHERE id = $1", .identifier(flow))
        return Flow.proofs(in: try rows.first?.optional(0, as: Row.text))
    }

    /// Completes a flow, unless its verified phone number has changed since the flow was read.
    ///
    /// The flow's stored traits and proven addresses are deleted.
    ///
    /// - Parameters:
    ///   - flow: The flow with its final state, method and form. If the flow isn't stored yet, it is
    ///     inserted.
    ///   - now: The time of completion. A flow that has expired by this time isn't completed.
    ///   - transaction: The transaction that also saves the changes that the flow makes, such as a new
    ///     session.
    /// - Returns: Whether this call has completed the flow. Of several concurrent calls, at most one
    ///   completes the flow.
    /// - Throws: ``DatabaseError``.
    package static func complete(_ flow: Flow, at now: Timestamp, in transaction: borrowing Transaction)
        throws(DatabaseError) -> Bool
    {
        try insert(flow, in: transaction)
        return try transaction.execute(
            """
            UPDATE flows SET completed_at = $1, updated_at = $1, form = $2, active = $3, state = $4, \
            traits = NULL, proven = NULL \
            WHERE id = $5 AND completed_at IS NULL AND expires_at > $1 \
            AND COALESCE(verified_phone, '') = $6
            """,
            .time(now),
            flow.storedForm.map { .blob($0) } ?? .null,
            .optional(flow.active),
            .text(flow.state.rawValue),
            .identifier(flow.id),
            .text(flow.verifiedPhone ?? "")
        ) == 1
    }
}
