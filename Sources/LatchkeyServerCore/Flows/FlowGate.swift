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

    /// Begins a flow without parameters, which writes nothing.
    package func begin(_ kind: FlowKind, _ exchange: Exchange) -> HTTPResponse {
        .json(200, writer.body(flows.begin(kind, at: exchange.now, random: context.random)))
    }

    /// Begins a flow with parameters, and keeps it.
    package func begin(
        _ kind: FlowKind,
        _ exchange: Exchange,
        _ request: FlowRequest,
        identityID: Identifier? = nil,
        form: Form = Form()
    ) async throws -> HTTPResponse {
        let query = exchange.request.query.map { "?" + $0 } ?? ""
        let parameters = FlowParameters(
            schemaID: (request.schema ?? context.schemas.standard).id,
            requestURL: context.settings.baseURL + exchange.request.path + query,
            returnTo: request.returnTo,
            refresh: request.refresh,
            requestedAAL: request.aal,
            identityID: identityID
        )
        var flow = flows.begin(kind, parameters, at: exchange.now, random: context.random)
        if form != Form() || request.refresh || request.aal != "aal1" {
            flow.ui = writer.render(form, in: flow)
        }
        try await keep(flow)
        return .json(200, writer.body(flow))
    }

    // MARK: Showing

    /// Answers `GET …/flows?id=`.
    package func show(_ kind: FlowKind, _ exchange: Exchange) async throws -> HTTPResponse {
        guard
            let id = exchange.query["id"].flatMap({ Identifier($0) }),
            let flow = try await flows.find(id, kind)
        else { throw ServerError.notFound }
        guard flow.expiresAt > exchange.now else { throw ServerError.flowExpired(nil) }
        return .json(200, writer.body(flow))
    }

    // MARK: Submitting

    /// The flow that something is submitted to.
    package func flow(_ kind: FlowKind, of exchange: Exchange) async throws -> Flow {
        guard let id = exchange.query["flow"].flatMap({ Identifier($0) }) else {
            throw ServerError.malformed("The query lacks the flow's id, flow=…")
        }
        guard let flow = try await flows.find(id, kind) else { throw ServerError.notFound }
        return flow
    }

    /// Refuses a flow that is over, with a new one to go on with.
    package func refuseIfOver(_ flow: Flow, at now: Timestamp) async throws {
        guard flow.isOver(at: now) else { return }
        throw try await over(flow, at: now)
    }

    /// The refusal of a flow that is over: begins the one to go on with.
    package func over(_ flow: Flow, at now: Timestamp) async throws -> ServerError {
        var next = flows.begin(flow.kind, flow.parameters, at: now, random: context.random)
        let end = flow.completedAt ?? min(flow.expiresAt, now)
        next.ui = writer.render(Form(messages: [.flowExpired(flow.kind, at: end)]), in: next)
        try await keep(next)
        return .flowExpired(ServerError.Replacement(flow: next.id, expiredAt: end, since: now - end))
    }

    /// Keeps what a submit left in the form, and answers with the flow: the way to go on from a refusal.
    package func refuse(_ flow: Flow, _ form: Form, at now: Timestamp) async throws -> HTTPResponse {
        let shown = showing(form, in: flow, at: now)
        try await context.database.transaction { transaction in
            _ = try FlowRepository.update(shown, in: transaction)
        }
        return answer(shown)
    }

    /// The flow with a form in it.
    package func showing(_ form: Form, in flow: Flow, at now: Timestamp) -> Flow {
        var flow = flow
        flow.ui = writer.render(form, in: flow)
        flow.updatedAt = now
        return flow
    }

    /// The answer to a submit that leaves its flow open.
    package func answer(_ flow: Flow) -> HTTPResponse {
        .json(400, writer.body(flow))
    }

    /// Reads what was submitted; nothing but a message when it cannot be read.
    package func submission(_ flow: Flow, _ exchange: Exchange) throws(ServerError) -> Result<
        Submission, Submission.Refusal
    > {
        guard exchange.request.body.count <= Self.bodyLimit else {
            throw ServerError(413, reason: "The body has more than \(Self.bodyLimit) bytes.")
        }
        return Submission.read(exchange.request, context.schemas[flow.schemaID] ?? context.schemas.standard)
    }

    private func keep(_ flow: Flow) async throws {
        try await context.database.transaction { transaction in
            try FlowRepository.insert(flow, in: transaction)
        }
    }
}
