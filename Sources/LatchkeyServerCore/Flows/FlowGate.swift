package import LatchkeyModel
package import LatchkeyWire

/// What all flows have in common: how they are found, refused, kept and shown.
package struct FlowGate: Sendable {
    private static let bodyLimit = 65_536

    private let context: ServerContext
    private let flows: FlowRepository
    private let writer: FlowWriter

    package init(_ context: ServerContext) {
        self.context = context
        flows = FlowRepository(context)
        writer = FlowWriter(context)
    }

    // MARK: Beginning

    /// Begins a flow without parameters, or with an identity schema alone, which writes nothing.
    package func begin(_ kind: FlowKind, _ exchange: Exchange, _ schema: IdentitySchema?) -> HTTPResponse {
        context.metrics.flowsStarted.add(kind)
        var flow = flows.begin(kind, schema: schema?.id, at: exchange.now, random: context.random)
        flow.language = language(of: exchange)
        return .json(200, writer.body(flow))
    }

    /// Begins a flow with parameters, and keeps it.
    package func begin(
        _ kind: FlowKind,
        _ exchange: Exchange,
        _ request: FlowRequest,
        identityID: Identifier? = nil,
        form: Form = Form()
    ) async throws -> HTTPResponse {
        let parameters = FlowParameters(
            schemaID: (request.schema ?? context.schemas.standard).id,
            requestURL: url(of: exchange),
            returnTo: request.returnTo,
            refresh: request.refresh,
            requestedAAL: request.aal,
            identityID: identityID
        )
        var flow = flows.begin(kind, parameters, at: exchange.now, random: context.random)
        flow.language = language(of: exchange)
        if form != Form() || request.refresh || request.aal != "aal1" {
            flow.begin(with: form)
        }
        try await keep(flow)
        context.metrics.flowsStarted.add(kind)
        return .json(200, writer.body(flow))
    }

    /// Begins a flow about the settings of an identity, and keeps it.
    package func begin(
        _ kind: FlowKind,
        _ exchange: Exchange,
        _ request: FlowRequest,
        of identity: IdentityRecord,
        _ schema: IdentitySchema,
        form: Form
    ) async throws -> HTTPResponse {
        let flow = flow(kind, of: identity.id, schema.id, returnTo: request.returnTo, exchange)
        let shown = showing(form, in: flow, at: flow.createdAt)
        try await keep(shown)
        context.metrics.flowsStarted.add(kind)
        return answer(shown, 200, of: identity)
    }

    /// A flow about an identity, which is not kept yet.
    package func flow(
        _ kind: FlowKind,
        of identity: Identifier,
        _ schemaID: String,
        returnTo: String? = nil,
        _ exchange: Exchange,
        at now: Timestamp? = nil
    ) -> Flow {
        let parameters = FlowParameters(
            schemaID: schemaID,
            requestURL: url(of: exchange),
            returnTo: returnTo,
            identityID: identity
        )
        var flow = flows.begin(kind, parameters, at: now ?? exchange.now, random: context.random)
        flow.language = language(of: exchange)
        return flow
    }

    /// The language that a request asks for.
    package func language(of exchange: Exchange) -> Language {
        context.settings.language(for: exchange.request.headers["Accept-Language"])
    }

    /// The address that a request was made to, as flows remember it.
    package func url(of exchange: Exchange) -> String {
        context.settings.baseURL + exchange.request.path + (exchange.request.query.map { "?" + $0 } ?? "")
    }

    // MARK: Showing

    /// Answers `GET …/flows?id=`.
    package func show(_ kind: FlowKind, _ exchange: Exchange) async throws -> HTTPResponse {
        guard
            let id = exchange.query["id"].flatMap({ Identifier($0) }),
            var flow = try await flows.find(id, kind)
        else { throw ServerError.notFound }
        flow.language = language(of: exchange)
        guard flow.expiresAt > exchange.now else { throw ServerError.flowExpired(nil) }
        return .json(200, writer.body(flow))
    }

    // MARK: Submitting

    /// The flow that something is submitted to.
    package func flow(_ kind: FlowKind, named name: String = "flow", of exchange: Exchange) async throws
        -> Flow
    {
        guard let id = exchange.query[name].flatMap({ Identifier($0) }) else {
            throw ServerError.malformed("The query lacks the flow's id, \(name)=…")
        }
        guard var flow = try await flows.find(id, kind) else { throw ServerError.notFound }
        flow.language = language(of: exchange)
        return flow
    }

    /// Refuses a flow that is over, with a new one to go on with.
    package func refuseIfOver(_ flow: Flow, at now: Timestamp) async throws {
        guard flow.isOver(at: now) else { return }
        throw try await over(flow, at: now)
    }

    /// The refusal of a flow that is over: begins the one to go on with.
    package func over(_ flow: Flow, at now: Timestamp) async throws -> ServerError {
        let end = flow.completedAt ?? min(flow.expiresAt, now)
        let next = try await next(after: flow, saying: .flowExpired(flow.kind, at: end), at: now)
        return .flowExpired(ServerError.Replacement(flow: next.id, expiredAt: end, now: now))
    }

    /// Begins the flow to go on with after one that is over.
    package func next(after flow: Flow, saying message: UIMessage, at now: Timestamp) async throws -> Flow {
        var parameters = flow.parameters
        // A verification that belonged to an account ends with its session; the next one belongs to no account.
        if flow.kind == .verification { parameters.identityID = nil }
        var next = flows.begin(flow.kind, parameters, at: now, random: context.random)
        next.language = flow.language
        next.begin(with: Form(messages: [message]))
        try await keep(next)
        return next
    }

    /// Keeps what a submit left in the form, and answers with the flow: the way to go on from a refusal.
    package func refuse(
        _ flow: Flow,
        _ form: Form,
        at now: Timestamp,
        _ status: Int = 400,
        of identity: IdentityRecord? = nil
    ) async throws -> HTTPResponse {
        let shown = showing(form, in: flow, at: now)
        try await context.database.transaction { transaction in
            _ = try FlowRepository.update(shown, in: transaction)
        }
        return answer(shown, status, of: identity)
    }

    /// A verification that has succeeded, with what leads on from it.
    package func leadingOn(_ flow: Flow, _ message: UIMessage, at now: Timestamp) -> Flow {
        showing(Form(messages: [message]), in: flow, at: now)
    }

    /// The flow with a form in it.
    package func showing(_ form: Form, in flow: Flow, at now: Timestamp) -> Flow {
        var flow = flow
        flow.show(form)
        flow.updatedAt = now
        return flow
    }

    /// The answer to a submit that leaves its flow open.
    ///
    /// - Parameters:
    ///   - flow: The flow as it is now.
    ///   - status: 400 where something more is asked for, which is what Kratos says at each step of a login or a
    ///     registration; 200 in its other flows.
    ///   - identity: Whose settings it is about.
    ///   - continuation: What to do next.
    /// - Returns: The flow.
    package func answer(
        _ flow: Flow,
        _ status: Int = 400,
        of identity: IdentityRecord? = nil,
        continuation: [ContinueWith] = []
    ) -> HTTPResponse {
        .json(status, writer.body(flow, of: identity, continuation: continuation))
    }

    /// Notes that a flow has come to its end.
    package func succeeded(_ kind: FlowKind, by method: String?) {
        context.metrics.flowsSucceeded.add(FlowStep(kind, .init(method)))
    }

    /// Reads what was submitted; nothing but a message when it cannot be read.
    package func submission(_ flow: Flow, _ exchange: Exchange) throws(ServerError) -> Result<
        Submission, Submission.Refusal
    > {
        guard exchange.request.body.count <= Self.bodyLimit else {
            throw ServerError(413, reason: "The body has more than \(Self.bodyLimit) bytes.")
        }
        let schema = context.schemas[flow.schemaID] ?? context.schemas.standard
        let submission = Submission.read(exchange.request, schema)
        let method = try? submission.get().method
        context.metrics.flowsSubmitted.add(FlowStep(flow.kind, .init(method ?? flow.kind.onlyMethod)))
        return submission
    }

    private func keep(_ flow: Flow) async throws {
        try await context.database.transaction { transaction in
            try FlowRepository.insert(flow, in: transaction)
        }
    }
}
