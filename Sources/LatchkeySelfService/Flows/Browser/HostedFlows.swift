package import LatchkeyAccounts
package import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// Shows flows on the server's own pages, and protects the forms of the pages.
package struct HostedFlows: Sendable {
    /// A flow with its form, whose texts are in English.
    package struct Shown: Sendable {
        package let flow: Flow
        package let ui: FlowBody.UI
    }

    /// Whether users can recover their accounts.
    package let offersRecovery: Bool
    /// Whether users can sign up with the default schema.
    package let offersRegistration: Bool

    /// Whether forms may lead to an address of the operator even if a flow has no return URL.
    package let leadsElsewhere: Bool

    /// The URL to send users to after flows without a return URL.
    package let home: String

    private let flows: [FlowKind: any SelfServiceFlow]
    private let writer: FlowWriter
    private let browsers: BrowserSessions
    private let errors: BrowserErrors
    private let returnURLs: ReturnURLs
    private let tokens: LogoutToken
    private let urls: ServerURLs
    private let lifecycle: FlowLifecycle
    private let reports: LinkReports
    private let returns: LinkReturns

    init(
        _ flows: [any SelfServiceFlow],
        services: ResponderServices,
        lifecycle: FlowLifecycle,
        reports: LinkReports,
        returns: LinkReturns,
        offersRecovery: Bool,
        offersRegistration: Bool,
        leadsElsewhere: Bool
    ) {
        self.leadsElsewhere = leadsElsewhere
        self.flows = Dictionary(uniqueKeysWithValues: flows.map { (type(of: $0).kind, $0) })
        self.lifecycle = lifecycle
        self.reports = reports
        self.returns = returns
        writer = services.flows
        browsers = services.browsers
        errors = services.errors
        returnURLs = services.returnURLs
        urls = services.environment.urls
        home = services.pages.home
        tokens = LogoutToken(secrets: services.environment.secrets)
        self.offersRecovery = offersRecovery
        self.offersRegistration = offersRegistration
    }

    // MARK: Flows

    /// Returns the browser's flow with an id.
    ///
    /// - Throws: ``ServerError`` as the route for reading flows, for example with status 403 if the flow
    ///   belongs to another browser, or 410 if it has expired. If the error has a `browserLocation`, the page
    ///   leads there. Also throws ``DatabaseError``.
    package func show(_ kind: FlowKind, id: String, in context: RequestContext) async throws -> Shown {
        guard let flow = flows[kind] else { throw ServerError.notFound }
        var request = context.request
        request.query = "id=" + QueryItems.encode(id)
        let reading = RequestContext(
            request,
            from: context.peer,
            at: context.now,
            accepting: .showing(kind, in: .cookie)
        )
        let known = browsers.continuing(reading)
        let found: Flow
        do {
            found = try await flow.show(known).flow
        } catch let earlier as EarlierFlow {
            throw earlier.serverError
        }
        guard found.type == .browser else { throw ServerError.notFound }
        return Shown(flow: found, ui: writer.ui(of: found, csrfToken: browsers.token(for: known)))
    }

    // MARK: Mailed links

    /// Returns who has asked for the code of a flow whose mailed link the browser has opened.
    package func origin(of flow: Flow) async throws -> MailedRequest? { try await reports.origin(of: flow) }

    /// Ends the flow of a mailed link whose reader hasn't asked for it.
    ///
    /// The query contains the id of the flow, and the caller must have checked the form's token.
    ///
    /// - Throws: ``ServerError`` with status 403 or 404 if the browser hasn't opened the link, or 429 if a rate limit
    ///   for wrong codes has been reached. Also throws ``DatabaseError``.
    package func report(
        _ kind: FlowKind,
        withCode code: String?,
        in context: RequestContext
    ) async throws -> LinkReports.Outcome {
        let known = browsers.continuing(context)
        do {
            return try await reports.report(
                try await lifecycle.flow(kind, of: known),
                withCode: code.flatMap { OneTimeCode($0) },
                in: known
            )
        } catch let earlier as EarlierFlow {
            throw earlier.serverError
        }
    }

    /// Returns the client of the app to which the flow of a mailed link leads back after it was confirmed, or `nil` if
    /// it doesn't.
    package func returningClient(of flow: Flow, in context: RequestContext) async throws -> OAuthClient? {
        try await returns.client(of: flow, at: context.now)
    }

    /// Returns where the button leads to that opens the app of a mailed link which the browser has confirmed.
    ///
    /// The query contains the id of the flow, and the caller must have checked the form's token.
    ///
    /// - Throws: ``ServerError`` with status 403 or 404 if the browser hasn't opened the link, or ``DatabaseError``.
    package func linkReturn(in context: RequestContext) async throws -> LinkReturn {
        let known = browsers.continuing(context)
        do {
            return try await returns.destination(
                from: try await lifecycle.flow(.verification, of: known),
                in: known
            )
        } catch let earlier as EarlierFlow {
            throw earlier.serverError
        }
    }

    // MARK: Authorization requests

    /// Returns the address at which the authorization request of a flow continues, or `nil` if there is none.
    package func address(continuing flow: Flow) -> String? { lifecycle.address(continuing: flow) }

    /// Returns the address that says that the authorization request of a login or registration isn't open any more,
    /// or `nil` if it is open or there is none.
    package func address(ofEnded flow: Flow) -> String? { lifecycle.address(ofEnded: flow) }

    /// Returns the address at which an authorization request continues.
    package func address(continuing request: PendingAuthorization) -> String? {
        lifecycle.authorization?.address(continuing: request.id)
    }

    /// Returns the address to which a form is posted that refuses an authorization request.
    package func address(refusing request: PendingAuthorization) -> String? {
        lifecycle.authorization?.address(refusing: request.id)
    }

    /// Returns the address that starts a flow, with the query of a page.
    package func start(_ kind: FlowKind, query: String?) -> String {
        urls.selfService + kind.startPath(for: .browser) + (query.map { "?" + $0 } ?? "")
    }

    /// Returns the address that starts a login which leads to a page of the server.
    package func login(returnTo page: String) -> String {
        start(.login, query: "return_to=" + QueryItems.encode(urls.base + page))
    }

    /// Returns the language of a request.
    package func language(of context: RequestContext) -> Language {
        lifecycle.language(of: context)
    }

    // MARK: Forms

    /// Returns the state of the request's browser, so that a page can contain a form.
    package func starting(_ context: RequestContext) -> RequestContext { browsers.starting(context) }

    /// Returns the token for a form on a page.
    package func token(for context: RequestContext) -> String { browsers.token(for: context) }

    /// Sets the cookie that the form of a page needs, if the browser has none yet.
    package func setSecret(of context: RequestContext, in response: inout HTTP.Response) {
        browsers.setSecret(of: context, in: &response)
    }

    /// Makes sure that the form of a page was sent by the browser that it was made for.
    ///
    /// - Throws: ``ServerError`` with status 403 if it wasn't.
    package func check(_ token: String?, in context: RequestContext) throws(ServerError) {
        try browsers.checkOrigin(withToken: token, in: browsers.continuing(context))
    }

    /// Returns whether the browser has logged in since it was shown the form with a token.
    ///
    /// Such a form isn't processed.
    package func isEarlier(_ token: String?, in context: RequestContext) -> Bool {
        browsers.isEarlier(token, in: browsers.continuing(context))
    }

    /// Sets the cookie of a session that was opened without a flow, and renews the secret of the browser.
    package func setSession(
        _ session: Session,
        token: SessionToken,
        for context: RequestContext,
        in response: inout HTTP.Response
    ) {
        browsers.setSession(session, token: token, for: context, in: &response)
    }

    /// Deletes the cookies of a session that was ended.
    package func endSession(in response: inout HTTP.Response) { browsers.endSession(in: &response) }

    /// Returns whether a logout token is that of a session.
    package func isLogoutToken(_ token: String, of session: Identifier) -> Bool {
        tokens.isValid(token, for: session)
    }

    /// Returns the normalized form of a return URL, or `nil` if it isn't allowed.
    package func returnURL(_ address: String) -> String? { returnURLs.normalized(address) }

    // MARK: Errors

    /// An error with which a browser was redirected.
    package struct ShownError: Sendable {
        package let error: ServerError
        /// The number of seconds that are left to wait, or `nil` if it isn't known.
        package let wait: Int?
    }

    /// Returns the error with an id, or `nil` if the id is unknown.
    package func error(_ id: String, at now: Timestamp) -> ShownError? {
        Identifier(id).flatMap(errors.error).map { found in
            ShownError(error: found.error.error, wait: found.wait(at: now))
        }
    }

    /// The flow and the authorization request in which a browser has got an error.
    package struct Interrupted: Sendable {
        /// The flow, or `nil` if the browser can't continue with it.
        package let flow: Identifier?
        /// The authorization request, or `nil` if there is none or it isn't open any more.
        package let authorization: PendingAuthorization?
    }

    /// Returns the flow or the authorization request with an id, unless it belongs to another browser.
    ///
    /// The ids are parameters of an address, which anyone may have sent to the user.
    ///
    /// - Throws: ``DatabaseError``.
    package func interrupted(
        _ kind: FlowKind?,
        flow: Identifier?,
        challenge: Identifier?,
        in context: RequestContext
    ) async throws -> Interrupted {
        let known = browsers.continuing(context)
        if let kind, let flow, let found = try await lifecycle.known(flow, kind: kind, in: known) {
            let isUsable = found.completedAt == nil && lifecycle.isOwn(found, of: known)
            return Interrupted(flow: isUsable ? flow : nil, authorization: found.authorization)
        }
        guard let challenge, let browser = known.browser, let authorization = lifecycle.authorization else {
            return Interrupted(flow: nil, authorization: nil)
        }
        let pending = try await authorization.request(challenge, of: browser, at: context.now)
        return Interrupted(flow: nil, authorization: pending)
    }
}
