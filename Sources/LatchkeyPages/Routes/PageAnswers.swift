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
    func page(for error: ServerError, in context: RequestContext) -> HTTP.Response {
        var response: HTTP.Response
        switch error.id {
        case .deviceCertificateRequired: response = self.response(with: NoticePage(.appOnly), to: context)
        case .flowDisabled: response = self.response(with: NoticePage(.registrationClosed), to: context)
        case .loginChallengeInvalid where context.request.cookie(csrfCookie) != nil:
            response = self.response(with: NoticePage(.requestExpired), to: context)
        default:
            let page = ErrorPage(kind(of: error, in: context), reference: context.id, restart: .welcome)
            response = self.response(with: page, to: context)
        }
        response.status = error.status
        if let retryAfter = error.retryAfter { response.headers["Retry-After"] = String(retryAfter) }
        return response
    }

    private func kind(of error: ServerError, in context: RequestContext) -> ErrorPage.Kind {
        switch (error.id, error.status) {
        // A browser that has opened our pages before has the cookie, unless it refuses cookies.
        case (.csrfViolation, _), (.loginChallengeInvalid, _):
            context.request.cookie(csrfCookie) == nil ? .cookiesOff : .formInvalid
        case (.returnToForbidden, _): .linkForbidden
        case (.identityMismatch, _): .wrongAccount
        case (_, 404), (_, 405): .notFound
        case (_, 410): .pageExpired
        case (_, 429): .tooManyRequests
        case (_, 500...): .serverProblem
        default: .requestInvalid
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
