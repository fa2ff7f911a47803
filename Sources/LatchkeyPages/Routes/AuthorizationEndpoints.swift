import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyOAuth
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire

/// The authorization endpoint, and the page on which the user answers a client's request.
struct AuthorizationEndpoints: Sendable {
    private static let challenge = "login_challenge"
    private static let accountField = "account"

    let answers: PageAnswers
    let authenticator: SessionAuthenticator
    let identities: IdentityRepository
    let authorizations: Authorizations

    var endpoints: [Endpoint] {
        let consent = answers.renderer.urls.path(of: .consent)
        let named: [APIParameter] = [.query("login_challenge", "The id of the request.")]
        return [
            endpoint(.get, at: Route.authorization, operation: .authorize(posting: false), answer: authorize),
            endpoint(.post, at: Route.authorization, operation: .authorize(posting: true), answer: resend),
            endpoint(
                .get,
                at: Route.authorizationContinuation,
                operation: .authorization(
                    "continueAuthorization",
                    "Continues a request after a login.",
                    named
                ),
                answer: proceed
            ),
            endpoint(
                .post,
                at: Route.authorizationRefusal,
                operation: .authorization(
                    "refuseAuthorization",
                    "Refuses a request instead of logging in.",
                    named
                ),
                answer: refuse
            ),
            endpoint(
                .get,
                at: consent,
                operation: .page(.consent, "Asks the user about the request of a client.", parameters: named),
                answer: ask
            ),
            endpoint(
                .post,
                at: consent,
                operation: .page(
                    .consent,
                    "Answers the request of a client.",
                    posting: true,
                    parameters: named
                ),
                answer: answer
            ),
        ]
    }

    private func endpoint(
        _ method: HTTP.Method,
        at path: String,
        operation: APIOperation,
        answer: @escaping Endpoint.Answer
    ) -> Endpoint {
        Endpoint(
            method,
            path,
            below: .server,
            accepts: .session(SessionCredentials(.considered, carrier: .cookie)),
            errors: .page,
            operation: operation
        ) { context in
            guard !context.request.isPrefetch else {
                throw ServerError.malformed("This address can't be fetched in advance.")
            }
            return try await answer(context)
        }
    }

    // MARK: Requests

    private func authorize(_ context: RequestContext) async throws -> HTTP.Response {
        // A program that only looks at the address gets no code, and stores no request.
        guard context.request.method != .head else { return HTTP.Response(200, headers: Self.uncached) }
        let context = answers.hosted.starting(context)
        let session = try await authenticator.session(of: context)
        do {
            let outcome = try await authorizations.begin(
                Array((context.request.query ?? "").utf8),
                session: session,
                in: context
            )
            return try await response(to: outcome, in: context)
        } catch let refusal as AuthorizationParameters.Refusal {
            throw ServerError(400, reason: refusal.reason)
        }
    }

    /// Repeats a request as a `GET`, because a browser sends no session cookie with the form of another site.
    private func resend(_ context: RequestContext) async throws -> HTTP.Response {
        let request = context.request
        guard request.mediaType == "application/x-www-form-urlencoded" else {
            throw ServerError.malformed("The Content-Type must be application/x-www-form-urlencoded.")
        }
        guard request.body.count <= AuthorizationParameters.byteLimit else { throw ServerError(413) }
        let items = QueryItems(encoded: request.body)
        guard items.failure == nil else { throw ServerError.malformed("The body is not a form.") }
        let texts = items.texts
        let query = stride(from: 0, to: texts.count, by: 2).map { index in
            QueryItems.encode(texts[index]) + "=" + QueryItems.encode(texts[index + 1])
        }
        return redirection(to: Route.authorization + "?" + query.joined(separator: "&"))
    }

    private func proceed(_ context: RequestContext) async throws -> HTTP.Response {
        guard context.request.method != .head else { return HTTP.Response(200, headers: Self.uncached) }
        let context = answers.hosted.starting(context)
        let outcome = try await authorizations.proceed(
            try Self.challenge(in: context.query[Self.challenge]),
            session: try await authenticator.session(of: context),
            in: context
        )
        return try await response(to: outcome, in: context)
    }

    /// Refuses a request with the form of a flow, of which only the browser's token is read.
    ///
    /// The button "Cancel" is part of the flow's form, so the body contains whatever the user has typed.
    private func refuse(_ context: RequestContext) async throws -> HTTP.Response {
        _ = try answers.form(of: context, limit: PageAnswers.flowFormLimit)
        let context = answers.hosted.starting(context)
        let outcome = try await authorizations.answer(
            try Self.challenge(in: context.query[Self.challenge]),
            with: .refuse,
            account: nil,
            session: try await authenticator.session(of: context),
            in: context
        )
        return try await response(to: outcome, in: context)
    }

    // MARK: Questions

    private func ask(_ context: RequestContext) async throws -> HTTP.Response {
        let context = answers.hosted.starting(context)
        let challenge = try Self.challenge(in: context.query[Self.challenge])
        let outcome = try await authorizations.question(
            challenge,
            session: try await authenticator.session(of: context),
            in: context
        )
        guard let outcome else {
            return redirection(to: authorizations.address(continuing: challenge))
        }
        guard case .ask(let question) = outcome else {
            return try await response(to: outcome, in: context)
        }
        return try await page(asking: question, in: context)
    }

    private func answer(_ context: RequestContext) async throws -> HTTP.Response {
        let form = try answers.fields(of: context)
        let token = form[PageAnswers.tokenField]
        let decision = form[ConsentPage.decisionField].flatMap(ConsentPage.Decision.init)
        // After a login in another tab, the user sees the question for the new session first. A user who
        // refuses must not end at the client, which may already have consent.
        if decision != .refuse, answers.hosted.isEarlier(token, in: context) {
            let challenge = try Self.challenge(in: form[Self.challenge])
            return redirection(to: authorizations.address(continuing: challenge))
        }
        try answers.hosted.check(token, in: context)
        let context = answers.hosted.starting(context)
        let challenge = try Self.challenge(in: form[Self.challenge])
        let session = try await authenticator.session(of: context)
        let account = form[Self.accountField].flatMap { Identifier($0) }
        let outcome: Authorizations.Outcome
        switch decision {
        case .approve where form[Self.choiceField] != nil:
            guard let account else { throw ServerError.malformed("The form names no account.") }
            outcome = try await authorizations.choose(
                challenge,
                account: account,
                session: session,
                in: context
            )
        case .approve:
            outcome = try await authorizations.answer(
                challenge,
                with: .approve(scopes: Set(form.values(ConsentPage.scopeField))),
                account: account,
                session: session,
                in: context
            )
        case .refuse:
            outcome = try await authorizations.answer(
                challenge,
                with: .refuse,
                account: account,
                session: session,
                in: context
            )
        case .switchAccount: outcome = .logIn(challenge: challenge, isRefresh: false)
        case nil: throw ServerError.malformed("The form contains no decision.")
        }
        return try await response(to: outcome, in: context)
    }

    /// The field that distinguishes the form of the account chooser.
    private static let choiceField = "choice"

    private func page(
        asking question: Authorizations.Question,
        in context: RequestContext
    ) async throws -> HTTP.Response {
        var fields = [
            FormField(name: Self.challenge, value: question.challenge.description),
            FormField(name: Self.accountField, value: question.identity.description),
        ]
        if question.consent == nil { fields.append(FormField(name: Self.choiceField, value: "account")) }
        let form = PageForm(
            // The page for an error of the form finds the request by the address.
            action: answers.renderer.urls.page(
                .consent,
                with: PageParameters(loginChallenge: question.challenge.description)
            ),
            csrfToken: answers.hosted.token(for: context),
            fields: fields
        )
        let account =
            try await identities.identifier(of: question.identity) ?? question.identity.description
        let client = PageClient(question.client)
        let language = answers.language(of: context, preferring: question.request.uiLocales)
        var response: HTTP.Response
        switch question.consent {
        case nil:
            let page = AccountChoicePage(account: account, client: client, form: form)
            response = answers.response(with: page, to: context, preferring: question.request.uiLocales)
        case let consent?:
            let page = ConsentPage(
                client: client,
                account: account,
                destination: Self.destination(of: question),
                question: consent == .proceed
                    ? .proceed : .scopes(Self.scopes(of: question, in: language)),
                form: form
            )
            response = answers.response(
                with: page,
                to: context,
                preferring: question.request.uiLocales
            )
        }
        answers.hosted.setSecret(of: context, in: &response)
        return response
    }

    private static func scopes(
        of question: Authorizations.Question,
        in language: Language
    ) -> [ConsentPage.Scope] {
        question.request.scopes.map { scope in
            ConsentPage.Scope(
                scope,
                description: question.description(of: scope, in: language),
                isRequired: scope == ScopeName.openID
            )
        }
    }

    private static func destination(of question: Authorizations.Question) -> ConsentPage.Destination {
        guard question.hasVerifiedRedirect, let host = WebAddress(question.request.redirectURI)?.authority
        else {
            return .app
        }
        return .host(UntrustedText(host))
    }

    // MARK: Responses

    private func response(
        to outcome: Authorizations.Outcome,
        in context: RequestContext
    ) async throws -> HTTP.Response {
        var response: HTTP.Response
        switch outcome {
        case .redirect(let address): response = redirection(to: address)
        case .logIn(let challenge, let isRefresh):
            response = redirection(to: start(.login, of: challenge, isRefresh: isRefresh))
        case .signUp(let challenge):
            response = redirection(to: start(.registration, of: challenge))
        case .completeProfile(let challenge):
            response = redirection(to: start(.settings, of: challenge))
        case .ask(let question):
            let page = answers.renderer.urls.page(
                .consent,
                with: PageParameters(loginChallenge: question.challenge.description)
            )
            response = redirection(to: page.text)
        case .over(let ending, let client):
            let notice: NoticePage.Notice =
                switch ending {
                case .answered: .requestAnswered
                case .expired: .requestExpired
                case .elsewhere: .requestElsewhere
                }
            response = answers.response(
                with: NoticePage(notice, client: client.map { PageClient($0) }),
                to: context
            )
        }
        answers.hosted.setSecret(of: context, in: &response)
        return response
    }

    private func start(_ kind: FlowKind, of challenge: Identifier, isRefresh: Bool = false) -> String {
        answers.hosted.start(
            kind,
            query: "\(Self.challenge)=\(challenge)" + (isRefresh ? "&refresh=true" : "")
        )
    }

    private static let uncached: HTTP.Headers = ["Cache-Control": "no-store", "Vary": "Cookie"]

    private func redirection(to address: String) -> HTTP.Response {
        answers.redirection(to: address)
    }

    private static func challenge(in text: String?) throws(ServerError) -> Identifier {
        guard let id = text.flatMap({ Identifier($0) }) else {
            throw .malformed("The parameter login_challenge is missing or is not a valid id.")
        }
        return id
    }
}

extension APIOperation {
    /// The authorization endpoint (RFC 6749, section 3.1).
    ///
    /// The operation id is the same as in Ory Hydra.
    fileprivate static func authorize(posting isPost: Bool) -> APIOperation {
        authorization(
            isPost ? "postOAuth2Authorize" : "oAuth2Authorize",
            isPost
                ? "Repeats an authorization request as a GET."
                : "Begins with the authorization request of a client.",
            isPost
                ? []
                : [
                    .query("client_id", "The client's id."),
                    .query("redirect_uri", "A registered redirect URI."),
                    .query("response_type", "Must be `code`."),
                    .query("scope", "The scopes, separated by spaces."),
                    .query("state", "Returned to the client, at most 2,048 bytes."),
                    .query("nonce", "Returned in the ID token, at most 512 bytes."),
                    .query("code_challenge", "The code challenge (RFC 7636)."),
                    .query("code_challenge_method", "Must be `S256`."),
                    .query("prompt", "`none`, `login`, `consent`, `select_account` or `create`."),
                    .query("max_age", "The maximum age of the login, in seconds."),
                    .query("id_token_hint", "An ID token of the user."),
                    .query("login_hint", "Fills in the login page."),
                    .query("ui_locales", "The preferred languages, separated by spaces."),
                    .query("dpop_jkt", "The JWK thumbprint of the key that redeems the code."),
                ]
        )
    }

    fileprivate static func authorization(
        _ id: String,
        _ summary: String,
        _ parameters: [APIParameter]
    ) -> APIOperation {
        APIOperation(
            id,
            summary,
            parameters: parameters,
            [
                .page(200, "A page that says why the request can't be continued."),
                APIResponse(303, "The browser is redirected.", headers: [.location]),
            ] + [400, 403, 404, 410, 413, 429, 500, 503].map { .page($0, "A page with the error.") }
        )
    }
}
