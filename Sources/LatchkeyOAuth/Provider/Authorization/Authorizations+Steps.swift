import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension Authorizations {
    /// A request, which may be stored.
    struct Pending {
        let request: AuthorizationRequest
        let client: OAuthClient
        let requestedAt: Timestamp
        /// The id, or `nil` if the request isn't stored.
        var id: Identifier?
        var chosen: Identifier?
        var grant: Identifier?
        /// The session of the app that has the request open, or `nil` if none has.
        var approver: Identifier?
        var answeredAt: Timestamp?

        init(request: AuthorizationRequest, client: OAuthClient, requestedAt: Timestamp) {
            (self.request, self.client, self.requestedAt) = (request, client, requestedAt)
        }

        init(_ stored: StoredAuthorization, client: OAuthClient) {
            self.init(request: stored.request, client: client, requestedAt: stored.requestedAt)
            (id, chosen, grant, answeredAt) = (stored.id, stored.chosen, stored.grant, stored.answeredAt)
            approver = stored.approver
        }
    }

    struct EndedRequest: Error {
        let ending: Ending
        let client: OAuthClient?
    }

    /// Returns the stored request with an id, if it belongs to the browser.
    ///
    /// A request that was answered a moment ago is still returned, because browsers follow only the second
    /// response if the user clicks twice.
    func stored(
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

    func proceed(
        with pending: Pending,
        approving approved: Set<String>? = nil,
        session: AuthenticatedSession?,
        in context: RequestContext
    ) async throws -> Outcome {
        if pending.answeredAt != nil { return try await repeated(pending, session: session, in: context) }
        var facts = try await facts(
            about: pending,
            isApproved: approved != nil,
            session: session,
            at: context.now
        )
        facts.lacksFields = try await lacksFields(session, for: pending, in: context)
        switch AuthorizationDecision(facts) {
        case .refuse(let error): return try await refuse(pending, with: error, at: context.now)
        case .logIn(let isRefresh):
            return .logIn(challenge: try await store(pending, in: context), isRefresh: isRefresh)
        case .signUp: return .signUp(challenge: try await store(pending, in: context))
        case .completeProfile: return .completeProfile(challenge: try await store(pending, in: context))
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

    /// Returns whether the user of a browser has to fill in fields or answer documents before the client gets tokens.
    ///
    /// Users answer documents whenever they see a page, because they couldn't do so elsewhere. A silent request is only
    /// refused if the duty blocks. Apps don't have the page for it, and present the duties of their sessions instead.
    func lacksFields(
        _ session: AuthenticatedSession?,
        for pending: Pending,
        in context: RequestContext
    ) async throws -> Bool {
        guard let session else { return false }
        let isSilent = pending.request.prompts.contains(.none)
        return try await duties.open(for: session.identity, at: pending.client.id, now: context.now).contains
        { duty in
            let isShown = duty.isBlocking || duty.kind == .acceptTerms && !isSilent
            return isShown && [.completeProfile, .acceptTerms].contains(duty.kind) && !duty.fields.isEmpty
        }
    }

    func facts(
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

    func ask(
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
    func refuse(
        _ pending: Pending,
        with error: AuthorizationError,
        at now: Timestamp
    ) async throws -> Outcome {
        if let id = pending.id, pending.answeredAt == nil {
            let isOpen = try await database.transaction { transaction in
                try AuthorizationRequestRepository.answer(
                    id,
                    with: nil,
                    by: pending.approver,
                    at: now,
                    in: transaction
                )
            }
            guard isOpen else { return .over(.answered, pending.client) }
        }
        return .redirect(to: response(to: pending.request).address(with: error))
    }
}
