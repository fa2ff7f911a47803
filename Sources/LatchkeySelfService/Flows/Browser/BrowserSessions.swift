import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Reads and sets the cookies of browsers that use flows.
struct BrowserSessions: Sendable {
    /// How long a browser keeps a mailed link.
    ///
    /// By default, codes are valid for a shorter time.
    private static let linkLifespan: Duration = .seconds(3600)

    private let cookies: BrowserCookies
    private let origins: TrustedOrigins
    private let random: any RandomSource
    private let settings: SessionSettings
    private let mailed: MailedLinks

    init(_ environment: ServerEnvironment, settings: SessionSettings) {
        cookies = environment.cookies
        origins = environment.origins
        random = environment.random
        self.settings = settings
        mailed = MailedLinks(environment)
    }

    // MARK: Requests

    /// Returns a request that starts a flow, with the secret of its browser, which is a new one if the browser
    /// has none.
    func starting(_ context: RequestContext) -> RequestContext {
        with(cookies.csrfCookies(of: context.request), in: context)
    }

    /// Returns a request that names a flow, with the secret of its browser if it has one.
    func continuing(_ context: RequestContext) -> RequestContext {
        let known = cookies.csrfCookies(of: context.request)
        return known.isEmpty ? context : with(known, in: context)
    }

    private func with(_ known: [CSRFCookie], in context: RequestContext) -> RequestContext {
        var context = context
        let links = context.request.cookie(cookies.link).map { mailed.links(in: $0) } ?? []
        context.browser = BrowserState(known: known, links: links, random: random, at: context.now)
        return context
    }

    /// Refuses requests to a browser's flow that a browser wouldn't send, or not for its user.
    ///
    /// No response to a request with a session token sets a cookie. A browser that fetches a page in advance asks
    /// again when the user wants it.
    static func refuseOthers(in context: RequestContext) throws(ServerError) {
        guard context.request.headers["X-Session-Token"] == nil else {
            throw .malformed("This flow is for browsers. Requests with a session token need a native flow.")
        }
        guard !context.request.isPrefetch else {
            throw .malformed("This address can't be fetched in advance.")
        }
    }

    /// Makes sure that a form comes from the page that it was made for.
    ///
    /// The flow that it was sent to must already have been found to belong to the browser.
    ///
    /// - Throws: A ``ServerError`` with status 403 if another site has sent the form, or if it lacks the token.
    ///   A body that can't be read has no effect, so it needs no token.
    func checkOrigin(
        of submission: Result<Submission, Submission.Refusal>,
        in context: RequestContext
    ) throws(ServerError) {
        guard case .success(let submission) = submission else {
            guard origins.accept(context.request) else { throw .csrfViolation }
            return
        }
        try checkOrigin(withToken: submission.optionalText(MethodForms.csrfToken.name ?? ""), in: context)
    }

    /// Makes sure that a form from before the browser's last login comes from the page that it was made for.
    ///
    /// The form isn't processed, but other sites can't find out that it would have been accepted earlier.
    func checkOrigin(
        ofEarlier submission: Result<Submission, Submission.Refusal>,
        in context: RequestContext
    ) throws(ServerError) {
        guard case .success(let submission) = submission,
            isEarlier(submission.optionalText(MethodForms.csrfToken.name ?? ""), in: context)
        else { throw .csrfViolation }
    }

    /// Returns whether the browser has logged in since it was shown the form with a token.
    func isEarlier(_ token: String?, in context: RequestContext) -> Bool {
        guard origins.accept(context.request), let token else { return false }
        return context.browser?.hadSecret { $0.accepts(token) } == true
    }

    /// Makes sure that a form with the given token comes from the page that it was made for.
    func checkOrigin(withToken token: String?, in context: RequestContext) throws(ServerError) {
        guard origins.accept(context.request), let token,
            context.browser?.hasSecret(where: { $0.accepts(token) }) == true
        else { throw .csrfViolation }
    }

    // MARK: Responses

    /// Returns the token of a form, or an empty string if the browser has no secret.
    func token(for context: RequestContext) -> String {
        context.browser?.current.token(random: random) ?? ""
    }

    /// Sets the cookie with the secret of a browser that has none yet.
    func setSecret(of context: RequestContext, in response: inout HTTP.Response) {
        guard let browser = context.browser, browser.isNew, context.request.method != .head else { return }
        add(cookies.field(setting: CSRFCookie(browser.current)), to: &response)
    }

    /// Sets the cookie with a mailed link that the browser has opened.
    func keep(_ link: BrowserLink, of context: RequestContext, in response: inout HTTP.Response) {
        guard context.request.method != .head else { return }
        let value = mailed.value(context.browser?.links ?? [], adding: link)
        add(cookies.field(cookies.link, .kept(value, for: Self.linkLifespan)), to: &response)
    }

    /// Sets the cookie of a session that was opened or extended.
    ///
    /// A new session renews the browser's secret, and the cookie keeps the previous one for an hour. After a re-authentication, the user continues with the flow
    /// that has asked for it.
    func setSession(
        _ session: Session,
        token: SessionToken,
        isRenewed: Bool = false,
        for context: RequestContext,
        in response: inout HTTP.Response
    ) {
        let lifespan = settings.isBrowserPersistent ? session.endsAt - context.now : nil
        add(cookies.field(cookies.session, .kept(token.secret, for: lifespan)), to: &response)
        guard !isRenewed, let browser = context.browser else { return }
        add(cookies.field(setting: browser.renewed(at: context.now)), to: &response)
    }

    /// Deletes the cookie of a session that was ended, and renews the browser's secret.
    ///
    /// The next user of the browser doesn't continue with authorization requests from before, so the cookie forgets
    /// the previous secret.
    func endSession(in response: inout HTTP.Response) {
        add(cookies.field(cookies.session, .deleted), to: &response)
        add(cookies.field(setting: CSRFCookie(CSRFSecret(random: random))), to: &response)
    }

    private func add(_ field: String, to response: inout HTTP.Response) {
        response.headers.fields.append(HTTP.Headers.Field(name: "Set-Cookie", value: field))
    }
}
