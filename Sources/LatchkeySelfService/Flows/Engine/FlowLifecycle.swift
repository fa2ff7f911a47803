package import LatchkeyAccounts
package import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// The lifecycle that all kinds of flow share: beginning, lookup, rejection, replacement and storage.
///
/// Each function that stores a flow uses a separate transaction. Flows that change together with an account
/// are stored by ``FlowRepository`` in the transaction of that change.
package struct FlowLifecycle: Sendable {
    /// The maximum size of a submission in bytes.
    private static let bodyLimit = 65_536

    private let urls: ServerURLs
    private let metrics: FlowMetrics
    private let random: any RandomSource
    private let schemas: SchemaCatalog
    private let database: any Database
    private let flows: FlowRepository
    private let returnURLs: ReturnURLs
    private let language: Language

    /// Creates the lifecycle of all flows of a server.
    ///
    /// - Parameters:
    ///   - flows: Looks up flows and issues their ids.
    ///   - returnURLs: The allow-list for `return_to`.
    ///   - language: The response language for requests that accept no available language.
    ///   - urls: The server's URLs; the base URL is part of the stored request URLs.
    ///   - metrics: Counts begun, submitted and completed flows.
    ///   - random: The source of the random bits of ids.
    ///   - schemas: The identity schemas that a request can name, and the default one.
    ///   - database: The database in which flows are stored.
    package init(
        flows: FlowRepository,
        returnURLs: ReturnURLs,
        language: Language,
        urls: ServerURLs,
        metrics: FlowMetrics,
        random: any RandomSource,
        schemas: SchemaCatalog,
        database: any Database
    ) {
        self.flows = flows
        self.returnURLs = returnURLs
        self.language = language
        self.urls = urls
        self.metrics = metrics
        self.random = random
        self.schemas = schemas
        self.database = database
    }

    // MARK: Beginning

    /// Reads and validates the query of a request that begins a flow.
    ///
    /// - Throws: 400 for an unknown identity schema, an invalid `aal`, or a return URL that is not allowed.
    package func request(_ kind: FlowKind, in context: RequestContext) throws(ServerError) -> FlowRequest {
        try FlowRequest(context, kind: kind, schemas: schemas, returnURLs: returnURLs)
    }

    /// Begins a flow that has no parameter other than an identity schema, without writing to the database.
    ///
    /// The start of the flow is counted in the metrics immediately, even if the flow never receives a
    /// submission.
    private func begin(_ kind: FlowKind, in context: RequestContext, schema: IdentitySchema?) -> Flow {
        metrics.started.add(kind)
        var flow = flows.begin(kind, schema: schema?.id, at: context.now, random: random)
        flow.language = language(of: context)
        return flow
    }

    /// Begins a flow, and stores it unless it can be restored from its id.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - request: The validated query of the request.
    ///   - context: The request; its URL is stored in the flow.
    ///   - identityID: The identity of the caller's session; `nil` for a caller without one.
    ///   - form: The initial values and messages of the form.
    /// - Returns: The flow.
    /// - Throws: ``DatabaseError``.
    package func begin(
        _ kind: FlowKind,
        for request: FlowRequest,
        in context: RequestContext,
        identityID: Identifier? = nil,
        form: Form = Form()
    ) async throws -> Flow {
        if request.isPlain, identityID == nil, form == Form() {
            return begin(kind, in: context, schema: request.schema)
        }
        let parameters = FlowParameters(
            schemaID: (request.schema ?? schemas.standard).id,
            requestURL: url(of: context),
            returnTo: request.returnTo,
            refresh: request.refresh,
            requestedAAL: request.aal,
            identityID: identityID
        )
        var flow = flows.begin(kind, parameters: parameters, at: context.now, random: random)
        flow.language = language(of: context)
        if form != Form() || request.refresh || request.aal != .aal1 {
            flow.begin(with: form)
        }
        try await store(flow)
        metrics.started.add(kind)
        return flow
    }

    /// Begins and stores a settings flow for an identity.
    ///
    /// The start of the flow is counted in the metrics once the flow is stored.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow; only settings flows show an identity.
    ///   - request: The validated query; only its `return_to` is used.
    ///   - context: The request; its URL is stored in the flow.
    ///   - identity: The identity of the caller's session; only this identity can read the flow and submit to
    ///     it.
    ///   - schema: The schema of the identity, which determines the fields.
    ///   - form: The current traits.
    /// - Returns: The stored flow, which shows the form.
    /// - Throws: ``DatabaseError``.
    package func begin(
        _ kind: FlowKind,
        for request: FlowRequest,
        in context: RequestContext,
        of identity: IdentityRecord,
        schema: IdentitySchema,
        form: Form
    ) async throws -> Flow {
        let flow = flow(kind, of: identity.id, schemaID: schema.id, returnTo: request.returnTo, in: context)
        let shown = showing(form, in: flow, at: flow.createdAt)
        try await store(shown)
        metrics.started.add(kind)
        return shown
    }

    /// Creates a flow that belongs to an identity, without storing the flow.
    ///
    /// If `now` is `nil`, the time of the request is used.
    ///
    /// The caller inserts the flow in the transaction of the change that requires it. The flow is not counted
    /// as started in the metrics.
    package func flow(
        _ kind: FlowKind,
        of identity: Identifier,
        schemaID: String,
        returnTo: String? = nil,
        in context: RequestContext,
        at now: Timestamp? = nil
    ) -> Flow {
        let parameters = FlowParameters(
            schemaID: schemaID,
            requestURL: url(of: context),
            returnTo: returnTo,
            identityID: identity
        )
        var flow = flows.begin(kind, parameters: parameters, at: now ?? context.now, random: random)
        flow.language = language(of: context)
        return flow
    }

    /// Returns the language of the response to a request, selected by its `Accept-Language` header.
    ///
    /// The default is the server's language. The language is not stored, because each request selects its
    /// own.
    package func language(of context: RequestContext) -> Language {
        Language(of: context, default: language)
    }

    /// Returns the full URL of a request, as stored in the flows that it begins.
    ///
    /// The URL contains the server's configured base URL instead of the request's `Host`, and is not
    /// truncated yet.
    package func url(of context: RequestContext) -> String {
        urls.base + context.request.path + (context.request.query.map { "?" + $0 } ?? "")
    }

    // MARK: Lookup

    /// Returns the flow whose id is in the query parameter `id`, unless it has expired.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - context: The request.
    ///   - check: Checks whether the caller may read the flow, before its expiry is revealed.
    /// - Returns: The flow, in the language of the request.
    /// - Throws: 404 for a missing, invalid or unknown id, 410 for an expired flow; the error of `check`.
    package func show(
        _ kind: FlowKind,
        in context: RequestContext,
        after check: (Flow) throws(ServerError) -> Void = { _ in }
    ) async throws -> Flow {
        guard
            let id = context.query["id"].flatMap({ Identifier($0) }),
            var flow = try await flows.find(id, kind: kind)
        else { throw ServerError.notFound }
        try check(flow)
        flow.language = language(of: context)
        guard flow.expiresAt > context.now else { throw ServerError.flowExpired(nil) }
        return flow
    }

    /// Returns the flow whose id is in the query of a submission, even if it was completed or has expired.
    ///
    /// - Throws: 400 if the query has no valid id, or 404 if there is no such flow.
    package func flow(_ kind: FlowKind, of context: RequestContext) async throws -> Flow {
        guard let id = context.query["flow"].flatMap({ Identifier($0) }) else {
            throw ServerError.malformed("The query parameter flow is missing or is not a valid flow id.")
        }
        guard var flow = try await flows.find(id, kind: kind) else { throw ServerError.notFound }
        flow.language = language(of: context)
        return flow
    }

    // MARK: Replacement

    /// Begins and stores the replacement for a completed or expired flow.
    ///
    /// The replacement has the same parameters, shows a message that its predecessor has expired, and is
    /// stored in a separate transaction.
    ///
    /// - Throws: ``DatabaseError``.
    package func replacement(of flow: Flow, at now: Timestamp) async throws -> FlowReplacement {
        let end = flow.completedAt ?? min(flow.expiresAt, now)
        let next = try await next(after: flow, saying: .flowExpired(flow.kind, at: end), at: now)
        return FlowReplacement(flow: next, endedAt: end, now: now)
    }

    /// Begins and stores a flow that replaces another one, with the same parameters and a message.
    ///
    /// A verification that belongs to an account is replaced by one that belongs to no account. The new flow
    /// has the language of the old one, and is not counted as started in the metrics.
    ///
    /// - Throws: ``DatabaseError``.
    package func next(after flow: Flow, saying message: UIMessage, at now: Timestamp) async throws -> Flow {
        var parameters = flow.parameters
        // A verification that is bound to an account ends with its session, so its replacement belongs to no
        // account.
        if flow.kind == .verification { parameters.identityID = nil }
        var next = flows.begin(flow.kind, parameters: parameters, at: now, random: random)
        next.language = flow.language
        next.begin(with: Form(messages: [message]))
        try await store(next)
        return next
    }

    // MARK: Forms

    /// Stores the form of a rejected submission, after which the flow accepts another submission.
    ///
    /// - Parameters:
    ///   - flow: The flow in its new state.
    ///   - form: The values and messages to show.
    ///   - now: The time of the change.
    ///   - identity: The identity whose settings the flow shows; `nil` in other flows.
    /// - Returns: The outcome, with the stored flow.
    /// - Throws: ``DatabaseError``.
    package func refuse(
        _ flow: Flow,
        with form: Form,
        at now: Timestamp,
        of identity: IdentityRecord? = nil
    ) async throws -> FlowOutcome {
        .refused(try await update(flow, showing: form, at: now), of: identity)
    }

    /// Stores a flow with the form that it shows, and returns it.
    ///
    /// If another request has completed the flow in the meantime, its row stays unchanged, and the returned
    /// flow exists only in this response.
    ///
    /// - Throws: ``DatabaseError``.
    package func update(_ flow: Flow, showing form: Form, at now: Timestamp) async throws -> Flow {
        let shown = showing(form, in: flow, at: now)
        try await database.transaction { transaction in
            _ = try FlowRepository.update(shown, in: transaction)
        }
        return shown
    }

    /// Returns a copy of a completed verification that shows a message and a link to continue.
    ///
    /// ``FlowWriter`` adds the link if the flow is a verification in its final state. The copy is not stored.
    package func leadingOn(_ flow: Flow, saying message: UIMessage, at now: Timestamp) -> Flow {
        showing(Form(messages: [message]), in: flow, at: now)
    }

    /// Returns a copy of the flow that shows a form, with `now` as its update time.
    ///
    /// The copy is not stored.
    package func showing(_ form: Form, in flow: Flow, at now: Timestamp) -> Flow {
        var flow = flow
        flow.show(form)
        flow.updatedAt = now
        return flow
    }

    // MARK: Submissions

    /// Counts a completed flow in the metrics, by its kind and method.
    ///
    /// A method that is `nil` or unknown counts as `other`. The function may be called from any thread.
    package func countCompletion(of kind: FlowKind, by method: String?) {
        metrics.succeeded.add(FlowMethodLabels(kind, method: .init(method)))
    }

    /// Reads a submission, and counts it in the metrics.
    ///
    /// - Returns: The submission, or the reason why its body is rejected.
    /// - Throws: 413 if the body has more than 64 KiB.
    ///
    /// A body that cannot be read is also counted, under the flow's only method or under `other`. If the
    /// operator has removed the flow's schema, the default schema determines the types of form fields.
    package func submission(to flow: Flow, in context: RequestContext) throws(ServerError) -> Result<
        Submission, Submission.Refusal
    > {
        guard context.request.body.count <= Self.bodyLimit else {
            throw ServerError(413, reason: "The request body is larger than \(Self.bodyLimit) bytes.")
        }
        let schema = schemas[flow.schemaID] ?? schemas.standard
        let submission = Submission.read(context.request, by: schema)
        let method = try? submission.get().method
        metrics.submitted.add(FlowMethodLabels(flow.kind, method: .init(method ?? flow.kind.onlyMethod)))
        return submission
    }

    /// Inserts a flow in a separate transaction.
    private func store(_ flow: Flow) async throws {
        try await database.transaction { transaction in
            try FlowRepository.insert(flow, in: transaction)
        }
    }
}
