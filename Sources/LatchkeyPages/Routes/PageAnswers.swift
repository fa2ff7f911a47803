import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire

/// Responses that the routes of all pages have in common.
struct PageAnswers: Sendable {
    /// The maximum size of a form that a page itself handles, in bytes.
    private static let formLimit = 4096
    /// The maximum size of a flow's form that a page handles instead of the flow, which is that of the flow.
    static let flowFormLimit = 65_536

    let hosted: HostedFlows
    let renderer: PageRenderer
    let csrfCookie: String

    /// Returns the response with a page.
    ///
    /// If the query doesn't name the languages that the user prefers, the given ones are used.
    func response(
        with page: some HTMLPage,
        to context: RequestContext,
        preferring uiLocales: String? = nil
    ) -> HTTP.Response {
        renderer.response(with: page, in: language(of: context, preferring: uiLocales))
    }

    /// Returns a redirection, which isn't cached.
    func redirection(to address: String) -> HTTP.Response {
        HTTP.Response(303, headers: ["Location": address, "Cache-Control": "no-store", "Vary": "Cookie"])
    }

    func language(of context: RequestContext, preferring uiLocales: String? = nil) -> Language {
        Language(
            uiLocales: context.query["ui_locales"] ?? uiLocales,
            acceptLanguage: context.request.headers["Accept-Language"],
            default: hosted.language(of: context)
        )
    }

    /// The field with the token of a form.
    static let tokenField = "csrf_token"

    /// Returns the fields of a form that was sent by the browser that it was made for.
    ///
    /// - Throws: ``ServerError`` with status 403 if it comes from elsewhere, or 400 or 413 if it isn't a form
    ///   of ours.
    func form(
        of context: RequestContext,
        limit: Int = PageAnswers.formLimit
    ) throws(ServerError) -> QueryItems {
        let items = try fields(of: context, limit: limit)
        try hosted.check(items[Self.tokenField], in: context)
        return items
    }

    /// Returns the fields of a form that any page may have sent.
    ///
    /// - Throws: ``ServerError`` with status 400 or 413 if the body isn't a form.
    func fields(
        of context: RequestContext,
        limit: Int = PageAnswers.formLimit
    ) throws(ServerError) -> QueryItems {
        let request = context.request
        guard request.body.count <= limit else { throw ServerError(413) }
        guard request.mediaType == "application/x-www-form-urlencoded" else {
            throw .malformed("The Content-Type must be application/x-www-form-urlencoded.")
        }
        let items = QueryItems(encoded: request.body)
        guard items.failure == nil else { throw .malformed("The body is not a form.") }
        return items
    }

    // MARK: Errors

    /// Returns the page for an error, with the status and the header fields of the error.
    ///
    /// Within a flow or an authorization request, the page leads back to it. `wait` is the number of seconds that are
    /// left to wait.
    func page(
        for error: ServerError,
        wait: Int? = nil,
        in context: RequestContext
    ) async -> HTTP.Response {
        let interrupted = await interrupted(in: context)
        let (pending, wait) = (interrupted.request, wait ?? error.retryAfter)
        var response: HTTP.Response
        if error.id == .loginChallengeInvalid, context.request.cookie(csrfCookie) != nil {
            response = self.response(with: NoticePage(.requestExpired), to: context)
        } else {
            let kind = kind(of: error, within: pending, in: context)
            let page = ErrorPage(
                kind,
                reference: context.id,
                way: way(from: kind, within: interrupted, in: context),
                request: pending.flatMap { request($0, in: context) },
                wait: wait
            )
            response = self.response(with: page, to: context, preferring: pending?.uiLocales)
        }
        response.status = error.status
        if let wait { response.headers["Retry-After"] = String(wait) }
        return response
    }

    private func kind(
        of error: ServerError,
        within request: PendingAuthorization?,
        in context: RequestContext
    ) -> ErrorPage.Kind {
        switch (error.id, error.status) {
        case (.deviceCertificateRequired, _): .appOnly
        case (.flowDisabled, _): .registrationClosed
        // A browser that has opened our pages before has the cookie, unless it refuses cookies.
        case (.csrfViolation, _), (.loginChallengeInvalid, _):
            context.request.cookie(csrfCookie) == nil ? .cookiesOff : .formInvalid
        case (.returnToForbidden, _): .linkForbidden
        case (.identityMismatch, _): .wrongAccount
        case (.verifiedAddressRequired, _), (.deliveryFailed, _): .codeNotSent
        case (.dutyRequired, _): .stepRequired
        case (_, 401): .notSignedIn
        case (_, 403): .formInvalid
        case (_, 404), (_, 405): .notFound
        case (_, 410): .pageExpired
        case (_, 413): .formRejected
        case (_, 429): .tooManyRequests
        case (_, 409), (_, 500...): .serverProblem
        // The server has accepted the client's request before, so the client isn't to blame.
        default: request == nil ? .requestInvalid : .formRejected
        }
    }

    // MARK: Interrupted flows

    /// The links that lead back to what an error has interrupted.
    private struct Interrupted {
        let request: PendingAuthorization?
        /// The form that the user has filled in.
        let form: LinkURL?
        /// The beginning of the flow that couldn't be started.
        let start: LinkURL?
    }

    /// Returns the flow and the authorization request that the address names, if they belong to the browser.
    private func interrupted(in context: RequestContext) async -> Interrupted {
        let query = context.query
        let isErrorPage = context.request.path == renderer.urls.path(of: .error)
        let name = isErrorPage ? query["kind"] : String(context.request.path.dropFirst())
        let kind = name.flatMap { FlowKind(rawValue: $0) }
        let route = kind.flatMap { PageRoute(rawValue: $0.rawValue) }
        let flow = query["flow"].flatMap { Identifier($0) }
        let challenge = query["login_challenge"].flatMap { Identifier($0) }
        guard flow != nil || challenge != nil else { return Interrupted(request: nil, form: nil, start: nil) }
        func form(of flow: Identifier?) -> LinkURL? {
            guard let route, let flow else { return nil }
            return renderer.urls.page(route).adding("flow", value: flow.description)
        }
        do {
            let found = try await hosted.interrupted(kind, flow: flow, challenge: challenge, in: context)
            let start = found.authorization.flatMap { request in
                route.map {
                    renderer.urls.page($0, with: PageParameters(loginChallenge: request.id.description))
                }
            }
            return Interrupted(request: found.authorization, form: form(of: found.flow), start: start)
        } catch {
            // The database may be what has failed. The page of the flow checks whose flow it is.
            return Interrupted(request: nil, form: form(of: flow), start: nil)
        }
    }

    private func request(_ pending: PendingAuthorization, in context: RequestContext) -> ErrorPage.Request? {
        guard let address = hosted.address(refusing: pending), let action = LinkURL(address) else {
            return nil
        }
        let form = PageForm(action: action, csrfToken: hosted.token(for: hosted.starting(context)))
        return ErrorPage.Request(client: PageClient(pending.client), cancel: form)
    }

    /// Returns the link with which the user continues, or `nil` if another attempt would fail as well.
    private func way(
        from kind: ErrorPage.Kind,
        within interrupted: Interrupted,
        in context: RequestContext
    ) -> ErrorPage.Way? {
        let urls = renderer.urls
        let request = interrupted.request
        let continued = request.flatMap { hosted.address(continuing: $0) }.flatMap { LinkURL($0) }
        let start = continued ?? urls.page(.welcome)
        switch kind {
        case .appOnly, .registrationClosed:
            return .signIn(
                urls.page(.login, with: PageParameters(loginChallenge: request?.id.description))
            )
        // The form would be refused again.
        case .wrongAccount, .notSignedIn, .linkForbidden, .cookiesOff: return .startAgain(start)
        case .formInvalid, .pageExpired: return .startAgain(interrupted.form ?? start)
        case .requestInvalid: return nil
        case .formRejected, .codeNotSent, .stepRequired, .tooManyRequests, .notFound, .serverProblem:
            if let form = interrupted.form { return .backToForm(form) }
            if let again = interrupted.start ?? continued { return .tryAgain(again) }
            guard kind == .tooManyRequests || kind == .serverProblem, context.request.method == .get,
                context.request.path != urls.path(of: .error), let again = urls.own(context.request)
            else { return .startAgain(start) }
            return .tryAgain(again)
        }
    }
}

extension APIOperation {
    /// Describes a route that answers a page.
    static func page(
        _ route: PageRoute,
        _ summary: String,
        posting isPost: Bool = false,
        parameters: [APIParameter] = []
    ) -> APIOperation {
        let name = route.rawValue.prefix(1).uppercased() + route.rawValue.dropFirst()
        return APIOperation(
            (isPost ? "submit" : "show") + name + "Page",
            summary,
            parameters: parameters,
            [
                .page(200, "The page."),
                APIResponse(303, "The browser is redirected.", headers: [.location]),
            ] + [400, 403, 404, 410, 413, 429, 500, 503].map { .page($0, "A page with the error.") }
        )
    }
}

extension APIResponse {
    static func page(_ status: Int, _ summary: String) -> APIResponse {
        APIResponse(status, summary, .text, mediaType: "text/html")
    }
}
