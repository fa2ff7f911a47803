import LatchkeyAccounts
package import LatchkeyCourier
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Manages flows of all kinds, from their creation to their replacement.
///
/// Each function that saves a flow uses its own transaction. When a flow and an account change together,
/// ``FlowRepository`` saves the flow in the transaction that changes the account.
package struct FlowLifecycle: Sendable {
    let urls: ServerURLs
    private let metrics: FlowMetrics
    let random: any RandomSource
    let schemas: SchemaCatalog
    let clients: ClientRegistry
    let terms: TermsCatalog
    let blockingTerms: Set<String>
    let limiter: Limiter
    let database: any Database
    let flows: FlowRepository
    private let returnURLs: ReturnURLs
    let links: MailedLinks
    let authorization: (any AuthorizationContinuation)?
    let sessions: SessionAuthenticator
    let duties: Duties
    private let language: Language

    /// Creates the lifecycle for all flows on a server.
    ///
    /// - Parameters:
    ///   - flows: Looks up flows and issues their ids.
    ///   - returnURLs: The URLs that are allowed as `return_to`.
    ///   - language: The response language to use if none of the languages that the client accepts is
    ///     available.
    ///   - urls: The server's URLs. The stored request URLs start with the base URL.
    ///   - metrics: Counts started, submitted and completed flows.
    ///   - random: The source of randomness for ids.
    ///   - schemas: The identity schemas that a request can name, including the default one.
    ///   - clients: The clients that an app can name.
    ///   - limiter: Counts the forms that are stored for clients without an account.
    ///   - database: The database that stores the flows.
    ///   - links: Reads mailed links.
    ///   - authorization: The authorization requests that flows continue, or `nil` if the server has no provider.
    ///   - sessions: Finds the session in which an app completes a flow with an authorization request.
    ///   - duties: Determines the steps that are reported after a login.
    ///   - terms: The documents that users answer.
    ///   - blockingTerms: The keys of the documents that block users without a client.
    init(
        flows: FlowRepository,
        returnURLs: ReturnURLs,
        language: Language,
        urls: ServerURLs,
        metrics: FlowMetrics,
        random: any RandomSource,
        schemas: SchemaCatalog,
        clients: ClientRegistry,
        limiter: Limiter,
        database: any Database,
        links: MailedLinks,
        authorization: (any AuthorizationContinuation)?,
        sessions: SessionAuthenticator,
        duties: Duties,
        terms: TermsCatalog,
        blockingTerms: [String]
    ) {
        (self.terms, self.blockingTerms) = (terms, Set(blockingTerms))
        self.links = links
        self.authorization = authorization
        self.sessions = sessions
        self.duties = duties
        self.limiter = limiter
        self.flows = flows
        self.returnURLs = returnURLs
        self.language = language
        self.urls = urls
        self.metrics = metrics
        self.random = random
        self.schemas = schemas
        self.clients = clients
        self.database = database
    }

    // MARK: Beginning

    /// Parses and validates the query of a request that starts a flow.
    ///
    /// - Throws: A ``ServerError`` with status 400 if the identity schema or the client is unknown, `aal` is
    ///   invalid, the return URL is not allowed, or the authorization request isn't an open one of the browser
    ///   or can't be opened by the app.
    ///   Also throws ``DatabaseError``.
    func request(
        _ kind: FlowKind,
        for type: FlowType,
        in context: RequestContext
    ) async throws -> FlowRequest {
        var request = try FlowRequest(
            context,
            kind: kind,
            type: type,
            schemas: schemas,
            returnURLs: returnURLs
        )
        if let challenge = context.query["login_challenge"], !challenge.isEmpty {
            request.authorization = try await authorization(challenge, for: type, in: context)
        }
        guard let id = request.clientID else { return request }
        guard let client = try await clients.client(id) else {
            throw ServerError.malformed("client_id is not the id of a client that is registered and enabled.")
        }
        // The response to a `HEAD` request contains no flow, so it must not use up the request.
        if Self.starts(context) {
            request.authorization = try await authorization(kind, for: request, of: client, in: context)
        }
        return request
    }

    /// Starts a flow that has no parameters except an identity schema.
    ///
    /// This doesn't write to the database.
    private func plain(_ kind: FlowKind, for request: FlowRequest, in context: RequestContext) -> Flow {
        var flow = flows.begin(
            kind,
            type: request.type,
            schema: request.schema?.id,
            boundTo: context.browser?.current,
            at: context.now,
            random: random
        )
        flow.language = language(of: context)
        return flow
    }

    /// Saves a flow and counts it in the metrics.
    private func start(_ flow: Flow, in context: RequestContext) async throws {
        guard Self.starts(context) else { return }
        try await store(flow, countingFor: context.peer)
        metrics.started.add(flow.kind)
    }

    /// Returns whether a request starts a flow.
    ///
    /// The response to a `HEAD` request doesn't contain the flow's id, so the flow could never be used.
    private static func starts(_ context: RequestContext) -> Bool {
        context.request.method != .head
    }

    /// Starts a flow and saves it, unless it can be restored from its id.
    ///
    /// The flow is counted in the metrics, even if it never receives a submission. A `HEAD` request neither
    /// saves nor counts it.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - request: The validated query of the request.
    ///   - context: The request, whose URL is stored with the flow.
    ///   - identityID: The id of the logged-in identity, or `nil` if the caller has no session.
    ///   - form: The initial values and messages of the form.
    /// - Returns: The flow.
    /// - Throws: ``DatabaseError``.
    func begin(
        _ kind: FlowKind,
        for request: FlowRequest,
        in context: RequestContext,
        identityID: Identifier? = nil,
        form: Form = Form()
    ) async throws -> Flow {
        if request.isPlain, identityID == nil, form == Form() {
            if Self.starts(context) { metrics.started.add(kind) }
            return try await withRequirements(plain(kind, for: request, in: context), in: context)
        }
        let parameters = FlowParameters(
            type: request.type,
            schemaID: (request.schema ?? schemas.standard).id,
            requestURL: url(of: context),
            returnTo: request.returnTo,
            loginChallenge: request.authorization?.id,
            refresh: request.refresh,
            requestedAAL: request.aal,
            identityID: identityID,
            clientID: request.clientID
        )
        var flow = flows.begin(
            kind,
            parameters: parameters,
            boundTo: context.browser?.current,
            at: context.now,
            random: random
        )
        flow.language = language(of: context)
        flow.authorization = request.authorization
        flow = try await withRequirements(flow, in: context)
        if form != Form() || request.refresh || request.aal != .aal1 {
            flow.begin(with: form)
        }
        try await start(flow, in: context)
        return flow
    }

    /// Starts and saves a settings flow for an identity.
    ///
    /// The flow is counted in the metrics once it has been saved.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow. Only settings flows show an identity.
    ///   - request: The validated query. Only `return_to` and `login_challenge` are used.
    ///   - context: The request, whose URL is stored with the flow.
    ///   - identity: The logged-in identity. Only this identity can read the flow and submit to it.
    ///   - schema: The identity's schema, which determines the fields.
    ///   - form: The current traits.
    /// - Returns: The saved flow, which shows the form.
    /// - Throws: ``DatabaseError``.
    func begin(
        _ kind: FlowKind,
        for request: FlowRequest,
        in context: RequestContext,
        of identity: IdentityRecord,
        schema: IdentitySchema,
        form: Form
    ) async throws -> Flow {
        var flow = flow(
            kind,
            for: request.type,
            of: identity.id,
            schemaID: schema.id,
            returnTo: request.returnTo,
            loginChallenge: request.authorization?.id,
            in: context
        )
        flow.authorization = request.authorization
        let shown = showing(form, in: flow, at: flow.createdAt)
        try await start(shown, in: context)
        return shown
    }

    /// Creates a flow for an identity without saving it.
    ///
    /// If `now` is `nil`, the time of the request is used.
    ///
    /// The caller must insert the flow in the transaction that makes the change. The metrics don't count the
    /// flow as started. A browser gets a new secret when a session is opened, and flows that are started with
    /// the session are bound to the new secret.
    func flow(
        _ kind: FlowKind,
        for type: FlowType,
        of identity: Identifier,
        schemaID: String,
        returnTo: String? = nil,
        loginChallenge: Identifier? = nil,
        clientID: String? = nil,
        withNewSession opensSession: Bool = false,
        in context: RequestContext,
        at now: Timestamp? = nil
    ) -> Flow {
        let parameters = FlowParameters(
            type: type,
            schemaID: schemaID,
            requestURL: url(of: context),
            returnTo: returnTo,
            loginChallenge: loginChallenge,
            identityID: identity,
            clientID: clientID
        )
        var flow = flows.begin(
            kind,
            parameters: parameters,
            boundTo: opensSession ? context.browser?.next : context.browser?.current,
            at: now ?? context.now,
            random: random
        )
        flow.language = language(of: context)
        return flow
    }

    /// Returns the language to respond in, based on the request's `Accept-Language` header.
    ///
    /// If no accepted language is available, the server's default language is used. The language isn't
    /// stored in the flow, because it can differ between requests.
    package func language(of context: RequestContext) -> Language {
        Language(of: context, default: language)
    }

    /// Returns the full URL of a request, for storing with the flow that it starts.
    ///
    /// The URL contains the server's configured base URL instead of the request's `Host`, and isn't truncated
    /// yet.
    package func url(of context: RequestContext) -> String {
        urls.base + context.request.path + (context.request.query.map { "?" + $0 } ?? "")
    }

    // MARK: Lookup

    /// Returns the flow named by the query parameter `id`, unless it has expired.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - context: The request.
    ///   - check: Checks whether the caller may read the flow. This check comes first, so that only permitted
    ///     callers find out whether the flow has expired.
    /// - Returns: The flow, in the language of the request.
    /// - Throws: A ``ServerError`` with status 404 if the id is missing, invalid or unknown, or 410 if the
    ///   flow has expired. Errors thrown by `check` are rethrown.
    func show(
        _ kind: FlowKind,
        in context: RequestContext,
        after check: (Flow) throws(ServerError) -> Void = { _ in }
    ) async throws -> Flow {
        guard
            let id = context.query["id"].flatMap({ Identifier($0) }),
            var flow = try await flows.find(id, kind: kind)
        else { throw ServerError.notFound }
        try refuseOtherBrowser(context, of: flow)
        flow = try await linked(flow, in: context)
        try check(flow)
        flow.language = language(of: context)
        flow = try await withRequirements(withAuthorization(flow, in: context), in: context)
        guard flow.expiresAt > context.now else {
            throw ServerError.flowExpired(nil, restart: restart(of: flow))
        }
        return flow
    }

    /// Returns the flow whose id is in the request's query, even if the flow was completed or has expired.
    ///
    /// - Throws: A ``ServerError`` with status 400 if the query has no valid id, 403 if the flow belongs to
    ///   another browser, or 404 if the flow doesn't exist. Also throws ``EarlierFlow``.
    func flow(_ kind: FlowKind, of context: RequestContext) async throws -> Flow {
        var flow = try await anyFlow(kind, of: context)
        try refuseOtherBrowser(context, of: flow)
        flow = try await linked(flow, in: context)
        flow.language = language(of: context)
        return try await withRequirements(withAuthorization(flow, in: context), in: context)
    }

    /// Returns the flow whose id is in the request's query, even if it belongs to another client.
    func anyFlow(_ kind: FlowKind, of context: RequestContext) async throws -> Flow {
        guard let id = context.query["flow"].flatMap({ Identifier($0) }) else {
            throw ServerError.malformed("The query parameter flow is missing or is not a valid flow id.")
        }
        guard let flow = try await flows.find(id, kind: kind) else { throw ServerError.notFound }
        return flow
    }

    /// Returns where a browser starts again after a flow has expired.
    private func restart(of flow: Flow) -> ServerError.Restart? {
        guard flow.type == .browser else { return nil }
        if let address = address(ofEnded: flow) { return ServerError.Restart(at: address, returnTo: nil) }
        let address = urls.selfService + flow.kind.startPath(for: .browser)
        let challenge = flow.authorization.map { "?login_challenge=\($0.id)" } ?? ""
        return ServerError.Restart(at: address + challenge, returnTo: flow.returnTo)
    }

    /// Returns whether a browser's flow belongs to the browser that sent a request.
    func isOwn(_ flow: Flow, of context: RequestContext) -> Bool {
        context.browser?.hasSecret { flows.isBound(flow, to: $0) } == true
    }

    /// Returns the flow with an id if the request comes from the browser that it belongs to, even if the browser has
    /// logged in since.
    func known(_ id: Identifier, kind: FlowKind, in context: RequestContext) async throws -> Flow? {
        guard let browser = context.browser, let flow = try await flows.find(id, kind: kind),
            flow.type == .browser,
            isOwn(flow, of: context) || browser.hadSecret(where: { flows.isBound(flow, to: $0) })
        else { return nil }
        return try await withAuthorization(try await linked(flow, in: context), in: context)
    }

    /// Refuses a request for the flow of a browser unless it comes from that browser.
    ///
    /// - Throws: ``EarlierFlow`` if the browser has logged in since it started the flow, and continues with an
    ///   authorization request. Throws a ``ServerError`` with status 403 for all other browsers.
    private func refuseOtherBrowser(_ context: RequestContext, of flow: Flow) throws {
        guard flow.type == .browser, !isOwn(flow, of: context) else { return }
        guard let address = address(continuing: flow),
            context.browser?.hadSecret(where: { flows.isBound(flow, to: $0) }) == true
        else { throw ServerError.csrfViolation }
        throw EarlierFlow(flow: flow, address: address)
    }

    // MARK: Replacement

    /// Starts and saves a replacement for a completed or expired flow.
    ///
    /// The replacement has the same parameters and shows a message that the previous flow has expired. The
    /// replacement is saved in its own transaction.
    ///
    /// - Parameters:
    ///   - flow: The flow that has ended.
    ///   - now: The current time, or `nil` for the time of the request.
    ///   - context: The request. The limit of its network on stored forms includes replacements.
    /// - Returns: The replacement.
    /// - Throws: A ``ServerError`` with status 429 if too many forms were stored for the network. Also throws
    ///   ``DatabaseError``.
    func replacement(
        of flow: Flow,
        at now: Timestamp? = nil,
        in context: RequestContext
    ) async throws -> FlowReplacement {
        let now = now ?? context.now
        let end = flow.completedAt ?? min(flow.expiresAt, now)
        let message = UIMessage.flowExpired(flow.kind, at: end)
        let next = try await next(after: flow, saying: message, at: now, in: context)
        return FlowReplacement(flow: next, endedAt: end, now: now)
    }

    /// Starts and saves a flow that replaces another one.
    ///
    /// The new flow has the same parameters as the original and shows a message.
    ///
    /// A replacement for a verification flow is never bound to an account. The replacement has the same
    /// language as the original flow. The metric for started flows doesn't include replacements.
    ///
    /// - Parameters:
    ///   - flow: The original flow.
    ///   - message: The message that the new flow shows.
    ///   - now: The current time, or `nil` for the time of the request.
    ///   - context: The request. If the new flow has no account, it counts toward the limit on forms that are
    ///     stored for its network.
    /// - Returns: The new flow.
    /// - Throws: A ``ServerError`` with status 429 if too many forms were stored for the network. Also throws
    ///   ``DatabaseError``.
    func next(
        after flow: Flow,
        saying message: UIMessage,
        at now: Timestamp? = nil,
        in context: RequestContext
    ) async throws -> Flow {
        var parameters = flow.parameters
        // A verification flow that is bound to an account may also be bound to a session and become invalid
        // when the session ends. The replacement isn't bound to a session, so it must not be bound to an
        // account either.
        if flow.kind == .verification { parameters.identityID = nil }
        var next = flows.begin(
            flow.kind,
            parameters: parameters,
            boundTo: context.browser?.current,
            at: now ?? context.now,
            random: random
        )
        next.language = flow.language
        next.authorization = flow.authorization
        next.fields = flow.fields
        next.terms = flow.terms
        next.begin(with: Form(messages: [message]))
        try await store(next, countingFor: context.peer)
        return next
    }

    /// Inserts a flow in its own transaction, and counts it if the client's network address is given.
    private func store(_ flow: Flow, countingFor peer: PeerAddress? = nil) async throws {
        try await database.transaction { transaction in
            if let peer { try count(flow, at: flow.createdAt, from: peer, in: transaction) }
            try FlowRepository.insert(flow, in: transaction)
        }
    }
}
