package import LatchkeyAccounts
package import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// The steps that all flows share: beginning, lookup, refusal, storage and responses.
package struct FlowGate: Sendable {
    /// The maximum size of a submission in bytes.
    private static let bodyLimit = 65_536

    private let urls: ServerURLs
    private let metrics: FlowMetrics
    private let random: any RandomSource
    private let schemas: SchemaCatalog
    private let database: any Database
    private let flows: FlowRepository
    private let writer: FlowWriter
    private let returnURLs: ReturnURLs
    private let language: Language

    package init(
        flows: FlowRepository,
        writer: FlowWriter,
        returnURLs: ReturnURLs,
        language: Language,
        urls: ServerURLs,
        metrics: FlowMetrics,
        random: any RandomSource,
        schemas: SchemaCatalog,
        database: any Database
    ) {
        self.flows = flows
        self.writer = writer
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
    package func request(_ kind: FlowKind, in exchange: Exchange) throws(ServerError) -> FlowRequest {
        try FlowRequest(exchange, kind: kind, schemas: schemas, returnURLs: returnURLs)
    }

    /// Begins a flow that has at most an identity schema as its parameter, without writing to the database.
    package func begin(_ kind: FlowKind, in exchange: Exchange, schema: IdentitySchema?) -> HTTP.Response {
        metrics.started.add(kind)
        var flow = flows.begin(kind, schema: schema?.id, at: exchange.now, random: random)
        flow.language = language(of: exchange)
        return .json(200, body: writer.body(flow))
    }

    /// Begins a flow with parameters and stores it.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - request: The validated query of the request.
    ///   - exchange: The request; its URL is stored in the flow.
    ///   - identityID: The identity of the caller's session; `nil` for a caller without one.
    ///   - form: The values and messages to begin with.
    /// - Returns: 200 with the flow.
    /// - Throws: ``DatabaseError``.
    package func begin(
        _ kind: FlowKind,
        for request: FlowRequest,
        in exchange: Exchange,
        identityID: Identifier? = nil,
        form: Form = Form()
    ) async throws -> HTTP.Response {
        let parameters = FlowParameters(
            schemaID: (request.schema ?? schemas.standard).id,
            requestURL: url(of: exchange),
            returnTo: request.returnTo,
            refresh: request.refresh,
            requestedAAL: request.aal,
            identityID: identityID
        )
        var flow = flows.begin(kind, parameters: parameters, at: exchange.now, random: random)
        flow.language = language(of: exchange)
        if form != Form() || request.refresh || request.aal != "aal1" {
            flow.begin(with: form)
        }
        try await keep(flow)
        metrics.started.add(kind)
        return .json(200, body: writer.body(flow))
    }

    /// Begins a flow for the settings of an identity and stores it; the response contains the identity.
    package func begin(
        _ kind: FlowKind,
        for request: FlowRequest,
        in exchange: Exchange,
        of identity: IdentityRecord,
        schema: IdentitySchema,
        form: Form
    ) async throws -> HTTP.Response {
        let flow = flow(kind, of: identity.id, schemaID: schema.id, returnTo: request.returnTo, in: exchange)
        let shown = showing(form, in: flow, at: flow.createdAt)
        try await keep(shown)
        metrics.started.add(kind)
        return answer(shown, status: 200, of: identity)
    }

    /// Creates a flow that belongs to an identity, without storing it; `now` is the request's time if `nil`.
    package func flow(
        _ kind: FlowKind,
        of identity: Identifier,
        schemaID: String,
        returnTo: String? = nil,
        in exchange: Exchange,
        at now: Timestamp? = nil
    ) -> Flow {
        let parameters = FlowParameters(
            schemaID: schemaID,
            requestURL: url(of: exchange),
            returnTo: returnTo,
            identityID: identity
        )
        var flow = flows.begin(kind, parameters: parameters, at: now ?? exchange.now, random: random)
        flow.language = language(of: exchange)
        return flow
    }

    /// Returns the language of the response to a request, by its `Accept-Language` header.
    package func language(of exchange: Exchange) -> Language {
        Language(of: exchange, default: language)
    }

    /// Returns the full URL of a request, as stored in the flows that it begins.
    package func url(of exchange: Exchange) -> String {
        urls.base + exchange.request.path + (exchange.request.query.map { "?" + $0 } ?? "")
    }

    // MARK: Showing

    /// Answers `GET …/flows?id=` with a flow.
    ///
    /// - Throws: 404 for an unknown id, 410 for an expired flow.
    package func show(_ kind: FlowKind, in exchange: Exchange) async throws -> HTTP.Response {
        guard
            let id = exchange.query["id"].flatMap({ Identifier($0) }),
            var flow = try await flows.find(id, kind: kind)
        else { throw ServerError.notFound }
        flow.language = language(of: exchange)
        guard flow.expiresAt > exchange.now else { throw ServerError.flowExpired(nil) }
        return .json(200, body: writer.body(flow))
    }

    // MARK: Submitting

    /// Returns the flow that a request names in its query, also if it was completed or has expired.
    ///
    /// - Throws: 400 if the query has no valid id, 404 if there is no such flow.
    package func flow(_ kind: FlowKind, named name: String = "flow", of exchange: Exchange) async throws
        -> Flow
    {
        guard let id = exchange.query[name].flatMap({ Identifier($0) }) else {
            throw ServerError.malformed("The query parameter \(name) with the flow id is missing.")
        }
        guard var flow = try await flows.find(id, kind: kind) else { throw ServerError.notFound }
        flow.language = language(of: exchange)
        return flow
    }

    /// Refuses a flow that was completed or has expired.
    ///
    /// - Throws: 410 with the id of a new flow to continue with.
    package func refuseIfOver(_ flow: Flow, at now: Timestamp) async throws {
        guard flow.isOver(at: now) else { return }
        throw try await over(flow, at: now)
    }

    /// Begins the replacement of a completed or expired flow, and returns the 410 that names it.
    package func over(_ flow: Flow, at now: Timestamp) async throws -> ServerError {
        let end = flow.completedAt ?? min(flow.expiresAt, now)
        let next = try await next(after: flow, saying: .flowExpired(flow.kind, at: end), at: now)
        return .flowExpired(ServerError.Replacement(flow: next.id, expiredAt: end, now: now))
    }

    /// Begins and stores the replacement of a flow: a new one with the same parameters and a message.
    package func next(after flow: Flow, saying message: UIMessage, at now: Timestamp) async throws -> Flow {
        var parameters = flow.parameters
        // A verification of an account ends with its session; its replacement belongs to no account.
        if flow.kind == .verification { parameters.identityID = nil }
        var next = flows.begin(flow.kind, parameters: parameters, at: now, random: random)
        next.language = flow.language
        next.begin(with: Form(messages: [message]))
        try await keep(next)
        return next
    }

    /// Stores the form of a refused submission, and answers with the flow, which accepts another submission.
    package func refuse(
        _ flow: Flow,
        with form: Form,
        at now: Timestamp,
        status: Int = 400,
        of identity: IdentityRecord? = nil
    ) async throws -> HTTP.Response {
        let shown = showing(form, in: flow, at: now)
        try await database.transaction { transaction in
            _ = try FlowRepository.update(shown, in: transaction)
        }
        return answer(shown, status: status, of: identity)
    }

    /// Returns a copy of a completed verification that shows a message and the link to continue with.
    package func leadingOn(_ flow: Flow, saying message: UIMessage, at now: Timestamp) -> Flow {
        showing(Form(messages: [message]), in: flow, at: now)
    }

    /// Returns a copy of the flow that shows a form and was updated at `now`.
    package func showing(_ form: Form, in flow: Flow, at now: Timestamp) -> Flow {
        var flow = flow
        flow.show(form)
        flow.updatedAt = now
        return flow
    }

    /// Returns a response that contains the flow.
    ///
    /// - Parameters:
    ///   - flow: The flow in its new state.
    ///   - status: 400 if the flow requires another step, as Kratos responds in logins and registrations; 200
    ///     in the other flows.
    ///   - identity: The identity whose settings the flow shows; `nil` in other flows.
    ///   - continuation: The steps for the client to take next.
    /// - Returns: The response, with the flow as JSON.
    package func answer(
        _ flow: Flow,
        status: Int = 400,
        of identity: IdentityRecord? = nil,
        continuation: [ContinueWith] = []
    ) -> HTTP.Response {
        .json(status, body: writer.body(flow, of: identity, continuation: continuation))
    }

    /// Counts a successful flow in the metrics, by its kind and method.
    package func succeeded(_ kind: FlowKind, by method: String?) {
        metrics.succeeded.add(FlowStep(kind, method: .init(method)))
    }

    /// Reads a submission, and counts it in the metrics.
    ///
    /// - Returns: The submission, or the reason why its body cannot be read.
    /// - Throws: 413 if the body has more than 64 KiB.
    package func submission(to flow: Flow, in exchange: Exchange) throws(ServerError) -> Result<
        Submission, Submission.Refusal
    > {
        guard exchange.request.body.count <= Self.bodyLimit else {
            throw ServerError(413, reason: "The request body is larger than \(Self.bodyLimit) bytes.")
        }
        let schema = schemas[flow.schemaID] ?? schemas.standard
        let submission = Submission.read(exchange.request, by: schema)
        let method = try? submission.get().method
        metrics.submitted.add(FlowStep(flow.kind, method: .init(method ?? flow.kind.onlyMethod)))
        return submission
    }

    private func keep(_ flow: Flow) async throws {
        try await database.transaction { transaction in
            try FlowRepository.insert(flow, in: transaction)
        }
    }
}
