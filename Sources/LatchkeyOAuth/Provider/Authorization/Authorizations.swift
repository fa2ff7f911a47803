package import LatchkeyAccounts
package import LatchkeyCourier
import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Handles authorization requests: parses them, decides about the next step, and grants or refuses them.
package struct Authorizations: Sendable {
    /// The answer to a browser.
    package enum Outcome: Sendable {
        /// The browser is redirected to the client.
        case redirect(to: String)
        /// The user must log in, and continues with the stored request.
        case logIn(challenge: Identifier, isRefresh: Bool)
        /// The user must sign up, and continues with the stored request.
        case signUp(challenge: Identifier)
        /// The user must choose an account or answer a question.
        case ask(Question)
        /// The request can't be continued.
        case over(Ending, OAuthClient?)
    }

    /// The reason why a request can't be continued.
    package enum Ending: Hashable, Sendable {
        /// The client has already got its answer.
        case answered
        case expired
        /// The request belongs to another browser.
        case elsewhere
    }

    /// A question to the user.
    package struct Question: Sendable {
        /// The id of the stored request.
        package let challenge: Identifier
        package let request: AuthorizationRequest
        package let client: OAuthClient
        /// The account that answers.
        package let identity: Identifier
        /// The question about the client, or `nil` if the user must choose an account.
        package let consent: ConsentQuestion?
        private let scopes: ScopeCatalog

        fileprivate init(
            _ consent: ConsentQuestion?,
            about pending: Pending,
            challenge: Identifier,
            identity: Identifier,
            scopes: ScopeCatalog
        ) {
            self.challenge = challenge
            request = pending.request
            client = pending.client
            self.identity = identity
            self.consent = consent
            self.scopes = scopes
        }

        /// Returns the operator's description of a scope, or `nil` for a built-in one.
        package func description(of scope: String, in language: Language) -> String? {
            scopes.description(of: scope, in: language)
        }

        /// Whether the host of the redirect URI proves who asks.
        package var hasVerifiedRedirect: Bool {
            client.metadata.redirectKind(of: request.redirectURI) == .https
        }
    }

    /// The user's answer to a question.
    package enum Answer: Sendable {
        /// The client may have the scopes, of which those that weren't requested are ignored.
        case approve(scopes: Set<String>)
        case refuse
    }

    private let clients: ClientRegistry
    private let schemas: SchemaCatalog
    private let limiter: Limiter
    private let audit: AuditLog
    private let database: any Database
    private let random: any RandomSource
    private let urls: ServerURLs
    private let settings: ProviderSettings
    private let scopes: ScopeCatalog
    private let hints: IDTokenHints
    private let requests: AuthorizationRequestRepository
    private let consents: ConsentRepository

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
        let facts = try await facts(about: pending, isApproved: false, session: session, at: context.now)
        switch AuthorizationDecision(facts) {
        case .refuse, .grant: return nil
        case .logIn(let isRefresh): return .logIn(challenge: challenge, isRefresh: isRefresh)
        case .signUp: return .signUp(challenge: challenge)
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

    // MARK: Steps

    /// A request, which may be stored.
    fileprivate struct Pending {
        let request: AuthorizationRequest
        let client: OAuthClient
        let requestedAt: Timestamp
        /// The id, or `nil` if the request isn't stored.
        var id: Identifier?
        var chosen: Identifier?
        var grant: Identifier?
        var answeredAt: Timestamp?

        init(request: AuthorizationRequest, client: OAuthClient, requestedAt: Timestamp) {
            (self.request, self.client, self.requestedAt) = (request, client, requestedAt)
        }

        init(_ stored: StoredAuthorization, client: OAuthClient) {
            self.init(request: stored.request, client: client, requestedAt: stored.requestedAt)
            (id, chosen, grant, answeredAt) = (stored.id, stored.chosen, stored.grant, stored.answeredAt)
        }
    }

    private struct EndedRequest: Error {
        let ending: Ending
        let client: OAuthClient?
    }

    /// Returns the stored request with an id, if it belongs to the browser.
    ///
    /// A request that was answered a moment ago is still returned, because browsers follow only the second
    /// response if the user clicks twice.
    private func stored(
        _ id: Identifier,
        in context: RequestContext
    ) async throws -> Result<Pending, EndedRequest> {
        guard let found = try await requests.find(id) else {
            return .failure(EndedRequest(ending: .expired, client: nil))
        }
        // Another browser learns as little as from an unknown id.
        guard let browser = context.browser, browser.owns(found) else {
            return .failure(EndedRequest(ending: .elsewhere, client: nil))
        }
        guard let client = try await clients.client(found.request.clientID) else {
            return .failure(EndedRequest(ending: .expired, client: nil))
        }
        let isRecent = found.answeredAt.map { $0 + settings.codeLifespan > context.now } ?? true
        guard isRecent else { return .failure(EndedRequest(ending: .answered, client: client)) }
        guard found.expiresAt > context.now else {
            return .failure(EndedRequest(ending: .expired, client: client))
        }
        if !found.isBound(to: browser.current) { try await requests.bind(id, to: browser.current) }
        return .success(Pending(found, client: client))
    }

    private func proceed(
        with pending: Pending,
        approving approved: Set<String>? = nil,
        session: AuthenticatedSession?,
        in context: RequestContext
    ) async throws -> Outcome {
        if pending.answeredAt != nil { return try await repeated(pending, session: session, in: context) }
        let facts = try await facts(
            about: pending,
            isApproved: approved != nil,
            session: session,
            at: context.now
        )
        switch AuthorizationDecision(facts) {
        case .refuse(let error): return try await refuse(pending, with: error, at: context.now)
        case .logIn(let isRefresh):
            return .logIn(challenge: try await store(pending, in: context), isRefresh: isRefresh)
        case .signUp: return .signUp(challenge: try await store(pending, in: context))
        case .chooseAccount:
            return try await ask(nil, about: pending, session: session, in: context)
        case .ask(let question):
            return try await ask(question, about: pending, session: session, in: context)
        case .grant:
            guard let session else { return .over(.expired, pending.client) }
            var unanswered = facts
            unanswered.isApproved = false
            // A page that asks for no scopes leaves out none.
            let hasChosen = AuthorizationDecision(unanswered) == .ask(.scopes)
            return try await grant(
                pending,
                approving: hasChosen ? approved : nil,
                by: session,
                in: context
            )
        }
    }

    private func facts(
        about pending: Pending,
        isApproved: Bool,
        session: AuthenticatedSession?,
        at now: Timestamp
    ) async throws -> AuthorizationDecision.Facts {
        let (request, client) = (pending.request, pending.client)
        var consent = ConsentQuestion.Facts(redirect: client.metadata.redirectKind(of: request.redirectURI))
        consent.isConfidential = client.metadata.isConfidential
        consent.skipsConsent = client.metadata.skipsConsent
        consent.isRequested = request.prompts.contains(.consent)
        if let session, !consent.skipsConsent {
            consent.isRemembered = try await isRemembered(request, by: session.identity.id)
        }
        var facts = AuthorizationDecision.Facts(
            requestedAt: pending.requestedAt,
            now: now,
            consent: consent
        )
        facts.prompts = request.prompts
        facts.maxAge = request.maxAge.map { .seconds($0) }
        facts.subject = request.subject
        facts.chosen = pending.chosen
        facts.isApproved = isApproved
        if let session {
            // The bearer of a replaced token hasn't necessarily authenticated again.
            var found = AuthorizationDecision.SessionFacts(
                identity: session.identity.id,
                authenticatedAt: session.isTokenReplaced
                    ? session.session.issuedAt : session.session.authenticatedAt
            )
            let allowed = client.metadata.own.schemas
            found.isAllowed = allowed.isEmpty || allowed.contains(session.identity.schemaID)
            facts.session = found
        }
        return facts
    }

    /// Returns the id of the stored request, which is stored now if it isn't yet.
    private func store(_ pending: Pending, in context: RequestContext) async throws -> Identifier {
        if let id = pending.id { return id }
        guard let browser = context.browser else { throw ServerError.csrfViolation }
        let id = Identifier(random: random)
        let events = Network.all(of: context.peer).map { LimitedEvent.authorizationRequest($0) }
        try await database.transaction { [limiter] transaction in
            try limiter.require(events, at: context.now, in: transaction)
            try AuthorizationRequestRepository.insert(
                pending.request,
                id: id,
                boundTo: browser.current,
                at: context.now,
                in: transaction
            )
        }
        return id
    }

    private func ask(
        _ question: ConsentQuestion?,
        about pending: Pending,
        session: AuthenticatedSession?,
        in context: RequestContext
    ) async throws -> Outcome {
        let challenge = try await store(pending, in: context)
        guard let session else { return .logIn(challenge: challenge, isRefresh: false) }
        return .ask(
            Question(
                question,
                about: pending,
                challenge: challenge,
                identity: session.identity.id,
                scopes: scopes
            )
        )
    }

    /// Gives the client an error, unless the request has been granted in the meantime.
    private func refuse(
        _ pending: Pending,
        with error: AuthorizationError,
        at now: Timestamp
    ) async throws -> Outcome {
        if let id = pending.id, pending.answeredAt == nil {
            let isOpen = try await database.transaction { transaction in
                try AuthorizationRequestRepository.answer(id, with: nil, at: now, in: transaction)
            }
            guard isOpen else { return .over(.answered, pending.client) }
        }
        return .redirect(to: response(to: pending.request).address(with: error))
    }

    // MARK: Approvals

    /// Decides about a request that the app of a logged-in user has opened.
    ///
    /// The app always names the account and asks, so no other question remains.
    func decision(
        about stored: StoredAuthorization,
        of client: OAuthClient,
        by session: AuthenticatedSession,
        at now: Timestamp
    ) async throws -> AuthorizationDecision {
        var pending = Pending(stored, client: client)
        pending.chosen = session.identity.id
        return AuthorizationDecision(
            try await facts(about: pending, isApproved: true, session: session, at: now)
        )
    }

    /// Returns whether an account has consented to all scopes of a request earlier.
    func isRemembered(_ request: AuthorizationRequest, by identity: Identifier) async throws -> Bool {
        guard let known = try await consents.find(request.clientID, of: identity) else { return false }
        return Set(request.scopes).isSubset(of: known.scopes)
    }

    /// Answers a request that an app has opened.
    ///
    /// - Returns: The address that leads to the client, or `nil` if the request was answered or has expired.
    func address(
        answering stored: StoredAuthorization,
        of client: OAuthClient,
        with answer: Answer,
        by session: AuthenticatedSession,
        in context: RequestContext
    ) async throws -> String? {
        let pending = Pending(stored, client: client)
        let outcome =
            switch answer {
            case .approve(let scopes):
                try await grant(pending, approving: scopes, by: session, in: context)
            case .refuse: try await refuse(pending, with: .accessDenied, at: context.now)
            }
        guard case .redirect(let address) = outcome else { return nil }
        return address
    }

    // MARK: Granting

    /// Creates a grant and leads to the client with its code.
    private func grant(
        _ pending: Pending,
        approving approved: Set<String>?,
        by session: AuthenticatedSession,
        in context: RequestContext
    ) async throws -> Outcome {
        let (request, now) = (pending.request, context.now)
        // The user can't leave out the scope that makes this a login.
        let granted = request.scopes.filter { scope in
            approved.map { scope == ScopeName.openID || $0.contains(scope) } ?? true
        }
        guard !granted.isEmpty else { return try await refuse(pending, with: .accessDenied, at: now) }
        let code = AuthorizationCode(random: random)
        let grant = NewGrant(
            request,
            of: pending.client,
            scopes: granted,
            by: session.session,
            code: code,
            expiringAt: now + settings.codeLifespan,
            random: random
        )
        let identity = session.identity.id
        let event = audit.event(.authorized, of: identity, in: context, about: pending.client.id, at: now)
        let isGranted = try await database.transaction { transaction in
            // The locks conflict with any event that ends the grants of the account.
            guard
                try IdentityRepository.confirm(identity, in: transaction),
                try SessionRepository.hold(session.session.id, of: identity, at: now, in: transaction)
            else { return false }
            if let id = pending.id {
                let isOpen = try AuthorizationRequestRepository.answer(
                    id,
                    with: grant.id,
                    at: now,
                    in: transaction
                )
                guard isOpen else { return false }
            }
            try GrantRepository.insert(grant, at: now, in: transaction)
            if approved != nil {
                try ConsentRepository.save(
                    granted,
                    of: request.scopes,
                    for: pending.client.id,
                    by: identity,
                    in: session.session.id,
                    at: now,
                    in: transaction
                )
            }
            try AuditLog.append(event, in: transaction)
            return true
        }
        guard isGranted else {
            // Either the session has ended, or another request was faster.
            guard let id = pending.id else {
                return try await proceed(with: pending, session: nil, in: context)
            }
            switch try await stored(id, in: context) {
            case .failure(let ended): return .over(ended.ending, ended.client)
            case .success(let found) where found.answeredAt != nil:
                return try await repeated(found, session: session, in: context)
            case .success(let found): return try await proceed(with: found, session: nil, in: context)
            }
        }
        return .redirect(to: response(to: request).address(with: code.secret))
    }

    /// Answers a request again that was answered a moment ago.
    ///
    /// A code that hasn't been redeemed is replaced, so that there is never more than one.
    private func repeated(
        _ pending: Pending,
        session: AuthenticatedSession?,
        in context: RequestContext
    ) async throws -> Outcome {
        guard let grant = pending.grant else {
            return .redirect(to: response(to: pending.request).address(with: .accessDenied))
        }
        guard let session else { return .over(.answered, pending.client) }
        let code = AuthorizationCode(random: random)
        let isReplaced = try await database.transaction { transaction in
            try GrantRepository.replaceCode(
                of: grant,
                with: code,
                for: session.identity.id,
                at: context.now,
                in: transaction
            )
        }
        guard isReplaced else { return .over(.answered, pending.client) }
        return .redirect(to: response(to: pending.request).address(with: code.secret))
    }

    private func response(to request: AuthorizationRequest) -> AuthorizationResponse {
        AuthorizationResponse(to: request.redirectURI, state: request.state, issuer: urls.base)
    }
}

// MARK: Flows

extension Authorizations: AuthorizationContinuation {
    package func request(
        _ id: Identifier,
        of browser: BrowserState?,
        at now: Timestamp
    ) async throws -> PendingAuthorization? {
        guard let found = try await requests.find(id), found.isOpen(at: now),
            browser?.owns(found) == true,
            let client = try await clients.client(found.request.clientID)
        else { return nil }
        return PendingAuthorization(
            id: id,
            client: client,
            requestURL: found.request.url(below: urls.base),
            scopes: found.request.scopes,
            loginHint: found.request.loginHint,
            uiLocales: found.request.uiLocales
        )
    }

    package func extend(
        _ id: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try AuthorizationRequestRepository.extend(id, at: now, in: transaction)
    }

    package func address(continuing id: Identifier) -> String {
        urls.base + Route.authorizationContinuation + "?login_challenge=\(id)"
    }

    package func address(refusing id: Identifier) -> String {
        urls.base + Route.authorizationRefusal + "?login_challenge=\(id)"
    }
}

extension BrowserState {
    /// Returns whether an authorization request belongs to the browser.
    func owns(_ request: StoredAuthorization) -> Bool {
        hasSecret { request.isBound(to: $0) } || hadSecret { request.isBound(to: $0) }
    }
}

extension ClientMetadata {
    /// Returns the kind of the registered URI that matches a request's.
    func redirectKind(of requested: String) -> RedirectURI.Kind {
        redirectURIs.first { $0.matches(requested) }?.kind ?? .privateUse
    }
}

extension LimitedEvent {
    /// An authorization request is stored for a network.
    static func authorizationRequest(_ network: Network) -> LimitedEvent {
        LimitedEvent("authorization request", of: network, metric: .authorizationsPerAddress) {
            $0.authorizationsPerAddress
        }
    }
}
