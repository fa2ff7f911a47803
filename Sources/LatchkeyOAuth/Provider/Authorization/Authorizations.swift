package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Handles authorization requests: parses them, decides about the next step, and grants or refuses them.
package struct Authorizations: Sendable {
    let clients: ClientRegistry
    let limiter: Limiter
    let audit: AuditLog
    let database: any Database
    let random: any RandomSource
    let urls: ServerURLs
    let settings: ProviderSettings
    let scopes: ScopeCatalog
    let schemas: SchemaCatalog
    private let hints: IDTokenHints
    let requests: AuthorizationRequestRepository
    let consents: ConsentRepository
    let duties: Duties

    init(
        _ environment: ServerEnvironment,
        accounts: AccountsModule,
        settings: ProviderSettings,
        scopes: ScopeCatalog,
        hints: IDTokenHints
    ) {
        clients = accounts.clients
        schemas = accounts.schemas
        limiter = accounts.limiter
        audit = accounts.audit
        database = environment.database
        random = environment.random
        urls = environment.urls
        self.settings = settings
        self.scopes = scopes
        self.hints = hints
        requests = AuthorizationRequestRepository(database: environment.database)
        consents = ConsentRepository(database: environment.database)
        duties = accounts.duties
    }

    // MARK: Beginning

    /// Begins with the request of a client.
    ///
    /// - Parameters:
    ///   - encoded: The query.
    ///   - session: The session of the browser, if it has one.
    ///   - context: The request, with the state of its browser.
    /// - Returns: The outcome. The request is stored unless it can be answered at once.
    /// - Throws: ``AuthorizationParameters/Refusal`` if the request can't be answered at its redirect URI,
    ///   ``ServerError`` with status 429 if too many requests were stored for the network, or
    ///   ``DatabaseError``.
    package func begin(
        _ encoded: [UInt8],
        session: AuthenticatedSession?,
        in context: RequestContext
    ) async throws -> Outcome {
        let parameters = try AuthorizationParameters(encoded)
        guard let id = parameters["client_id"], let client = try await clients.client(id) else {
            throw AuthorizationParameters.Refusal("The client_id is missing or unknown.")
        }
        if let uri = parameters["request_uri"] {
            return try await open(uri, of: client, session: session, in: context)
        }
        let redirectURI = try parameters.redirectURI(of: client)
        let request: AuthorizationRequest
        do {
            request = try await self.request(
                parameters,
                of: client,
                redirectURI: redirectURI,
                at: context.now
            )
        } catch let error as AuthorizationError {
            let response = AuthorizationResponse(
                to: redirectURI,
                state: parameters["state"],
                issuer: urls.base
            )
            return .redirect(to: response.address(with: error))
        }
        let pending = Pending(request: request, client: client, requestedAt: context.now)
        return try await proceed(with: pending, session: session, in: context)
    }

    /// Returns the valid request of a client that has been authenticated.
    func request(
        _ encoded: [UInt8],
        of client: OAuthClient,
        at now: Timestamp
    ) async throws -> AuthorizationRequest {
        let parameters = try AuthorizationParameters(encoded)
        let redirectURI = try parameters.redirectURI(of: client)
        return try await request(parameters, of: client, redirectURI: redirectURI, at: now)
    }

    private func request(
        _ parameters: AuthorizationParameters,
        of client: OAuthClient,
        redirectURI: String,
        at now: Timestamp
    ) async throws -> AuthorizationRequest {
        let subject = try await hints.subject(parameters["id_token_hint"], for: client, at: now)
        return try parameters.request(
            of: client,
            redirectURI: redirectURI,
            subject: subject,
            isKnown: scopes.isKnown
        )
    }

    /// Opens a request that the client has pushed (RFC 9126, section 4).
    private func open(
        _ uri: String,
        of client: OAuthClient,
        session: AuthenticatedSession?,
        in context: RequestContext
    ) async throws -> Outcome {
        guard let browser = context.browser else { throw ServerError.csrfViolation }
        let unknown = AuthorizationParameters.Refusal("The request_uri is unknown, used or expired.")
        guard let uri = RequestURI(presented: uri) else { throw unknown }
        let opened = try await database.transaction { transaction in
            try PushedRequestRepository.open(
                uri,
                of: client.id,
                boundTo: browser.current,
                at: context.now,
                in: transaction
            )
        }
        guard let id = opened else { throw unknown }
        return try await proceed(id, session: session, in: context)
    }

    // MARK: Continuing

    /// Continues a stored request.
    ///
    /// - Parameters:
    ///   - challenge: The id of the request.
    ///   - session: The session of the browser, if it has one.
    ///   - context: The request, with the state of its browser.
    /// - Returns: The outcome.
    /// - Throws: ``DatabaseError``.
    package func proceed(
        _ challenge: Identifier,
        session: AuthenticatedSession?,
        in context: RequestContext
    ) async throws -> Outcome {
        switch try await stored(challenge, in: context) {
        case .failure(let ending): return .over(ending.ending, ending.client)
        case .success(let pending): return try await proceed(with: pending, session: session, in: context)
        }
    }

    /// Returns the question of a stored request, or the reason why there is none.
    ///
    /// - Returns: The outcome, or `nil` if the request can be answered without a question.
    package func question(
        _ challenge: Identifier,
        session: AuthenticatedSession?,
        in context: RequestContext
    ) async throws -> Outcome? {
        let pending: Pending
        switch try await stored(challenge, in: context) {
        case .failure(let ending): return .over(ending.ending, ending.client)
        case .success(let found): pending = found
        }
        guard pending.answeredAt == nil else { return nil }
        var facts = try await facts(about: pending, isApproved: false, session: session, at: context.now)
        facts.lacksFields = try await lacksFields(session, for: pending, in: context)
        switch AuthorizationDecision(facts) {
        case .refuse, .grant: return nil
        case .logIn(let isRefresh): return .logIn(challenge: challenge, isRefresh: isRefresh)
        case .signUp: return .signUp(challenge: challenge)
        case .completeProfile: return .completeProfile(challenge: challenge)
        case .chooseAccount: return try await ask(nil, about: pending, session: session, in: context)
        case .ask(let question):
            return try await ask(question, about: pending, session: session, in: context)
        }
    }

    /// Records that the user continues with the account that is logged in.
    package func choose(
        _ challenge: Identifier,
        account: Identifier,
        session: AuthenticatedSession?,
        in context: RequestContext
    ) async throws -> Outcome {
        switch try await stored(challenge, in: context) {
        case .failure(let ending): return .over(ending.ending, ending.client)
        case .success(var pending):
            if account == session?.identity.id, pending.chosen != account {
                try await requests.choose(account, for: challenge)
                pending.chosen = account
            }
            return try await proceed(with: pending, session: session, in: context)
        }
    }

    /// Gives the client the user's answer.
    ///
    /// - Parameters:
    ///   - challenge: The id of the request.
    ///   - answer: The answer.
    ///   - account: The account that the page has shown, or `nil` if the user refuses without an account. An
    ///     answer of another account is ignored, and the question is asked again.
    ///   - session: The session of the browser, if it has one.
    ///   - context: The request, with the state of its browser.
    /// - Returns: The outcome.
    /// - Throws: ``DatabaseError``.
    package func answer(
        _ challenge: Identifier,
        with answer: Answer,
        account: Identifier?,
        session: AuthenticatedSession?,
        in context: RequestContext
    ) async throws -> Outcome {
        let pending: Pending
        switch try await stored(challenge, in: context) {
        case .failure(let ending): return .over(ending.ending, ending.client)
        case .success(let found): pending = found
        }
        switch answer {
        case .refuse:
            guard pending.grant == nil else { return .over(.answered, pending.client) }
            return try await refuse(pending, with: .accessDenied, at: context.now)
        case .approve(let chosen):
            let isShown = account != nil && account == session?.identity.id
            return try await proceed(
                with: pending,
                approving: isShown ? chosen : nil,
                session: session,
                in: context
            )
        }
    }
}
