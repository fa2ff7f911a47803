package import LatchkeyModel

/// Where flows are kept.
///
/// A flow begun without parameters, or with an identity schema alone, has no row until something is submitted to it: its
/// id says when it was issued, and for which schema.
package struct FlowRepository: Sendable {
    private let database: any Database
    private let settings: ServerSettings
    private let plain: PlainParameters
    private let identifier: FlowIdentifier

    /// The schemas that an id may name; `nil`, which is the most frequent, is the default one unnamed.
    private let schemas: [String?]

    package init(_ context: ServerContext) {
        database = context.database
        settings = context.settings
        plain = PlainParameters(context)
        identifier = FlowIdentifier(secrets: context.secrets)
        schemas = [nil] + context.schemas.all.map(\.id)
    }

    /// Finds a flow.
    ///
    /// - Returns: The flow as it is kept or as its id tells; nothing when it never was, or is of another kind.
    package func find(_ id: Identifier, _ kind: FlowKind) async throws -> Flow? {
        let rows = try await database.rows(
            """
            SELECT id, kind, schema_id, request_url, return_to, active, form, refresh, aal, identity_id, \
            verified_phone, issued_at, expires_at, completed_at, created_at, updated_at, \
            state, address, traits, session_id FROM flows WHERE id = $1 AND kind = $2
            """,
            .identifier(id),
            .text(kind.rawValue)
        )
        if let row = rows.first { return try Flow(row: row) }
        for schema in schemas {
            guard let issuedAt = identifier.issuedAt(id, as: kind, schema: schema) else { continue }
            return Flow(
                id: id,
                kind: kind,
                parameters: plain[kind, schema],
                issuedAt: issuedAt,
                lifespan: settings.lifespan(of: kind)
            )
        }
        return nil
    }

    /// Begins a flow, without keeping it.
    ///
    /// - Parameters:
    ///   - kind: What it leads to.
    ///   - parameters: What it is begun with; a flow with more than an identity schema must be stored.
    ///   - schema: The identity schema that a flow without other parameters names.
    ///   - now: The time.
    ///   - random: The source of randomness.
    /// - Returns: The flow.
    package func begin(
        _ kind: FlowKind,
        _ parameters: FlowParameters? = nil,
        schema: String? = nil,
        at now: Timestamp,
        random: some RandomSource
    ) -> Flow {
        // The id holds milliseconds; a time that said more would differ after the flow is read back from its id.
        let issuedAt = Timestamp(microseconds: now.microseconds - now.microseconds % 1000)
        let parameters = parameters ?? plain[kind, schema]
        let other = plain.isStandard(parameters.schemaID) ? nil : parameters.schemaID
        return Flow(
            id: identifier.issue(kind, schema: schema ?? other, at: issuedAt, random: random),
            kind: kind,
            parameters: parameters,
            issuedAt: issuedAt,
            lifespan: settings.lifespan(of: kind)
        )
    }

    /// Keeps a flow that is not kept yet; one that is stays as it is.
    package static func insert(_ flow: Flow, in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute(
            """
            INSERT INTO flows (id, kind, schema_id, state, request_url, return_to, active, form, refresh, aal, \
            identity_id, issued_at, expires_at, created_at, updated_at, address, traits, session_id) \
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) \
            ON CONFLICT (id) DO NOTHING
            """,
            .identifier(flow.id),
            .text(flow.kind.rawValue),
            .text(flow.schemaID),
            .text(flow.state.rawValue),
            .text(flow.requestURL),
            .optional(flow.returnTo),
            .optional(flow.active),
            flow.storedForm.map { .blob($0) } ?? .null,
            .bool(flow.refresh),
            .text(flow.requestedAAL),
            .identifier(flow.identityID),
            .time(flow.issuedAt),
            .time(flow.expiresAt),
            .time(flow.createdAt),
            .time(flow.updatedAt),
            .optional(flow.address),
            flow.traits.map { .blob($0) } ?? .null,
            .identifier(flow.sessionID)
        )
    }

    /// Keeps what a flow shows after a submit that did not end it.
    ///
    /// - Returns: Whether the flow was still open.
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

    /// Makes room for the verification of a phone number; if it is another than before, that one no longer counts.
    ///
    /// The flow must be kept already.
    ///
    /// - Returns: Whether the flow was still open.
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

    /// Writes down that a phone number was verified in a flow; the flow must be kept already.
    ///
    /// - Returns: Whether the flow was still open.
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

    /// Ends a flow in success, provided that the phone number verified in it is still the one it was read with.
    ///
    /// - Parameters:
    ///   - flow: The flow as it is to stay: its state, its method, what it shows.
    ///   - now: The time.
    ///   - transaction: Where what it leads to happens.
    /// - Returns: Whether this call ended it; of many at once, one does.
    /// - Throws: ``DatabaseError``.
    package static func complete(_ flow: Flow, at now: Timestamp, in transaction: borrowing Transaction)
        throws(DatabaseError) -> Bool
    {
        try insert(flow, in: transaction)
        return try transaction.execute(
            """
            UPDATE flows SET completed_at = $1, updated_at = $1, form = $2, active = $3, state = $4, traits = NULL \
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
