import LatchkeyModel
import LatchkeyWire

@testable import LatchkeyAccounts
@testable import LatchkeySelfService
@testable import LatchkeyServerKit

/// A responder for browsers that only the tests have: cookies, CSRF tokens, redirections and JSON by `Accept`.
///
/// It shows that a type of client needs no change in the flows and their methods.
struct BrowserResponder: FlowResponder {
    static let type = FlowType.browser
    static let csrfCookie = "csrf_token"

    private let flows: FlowWriter
    private let urls: ServerURLs
    private let random: any RandomSource

    init(_ services: ResponderServices) {
        flows = services.flows
        urls = services.environment.urls
        random = services.environment.random
    }

    func expects(_ request: HTTP.Request) -> Bool {
        request.headers["Cookie"] != nil || request.headers["Accept"]?.contains("text/html") == true
    }

    func refusal(
        of submission: Result<Submission, Submission.Refusal>,
        in context: RequestContext,
        to flow: Flow
    ) throws(ServerError) -> Submission.Refusal? {
        let token = (try? submission.get())?.optionalText("csrf_token")
        guard let token, token == context.request.cookie(Self.csrfCookie) else {
            throw ServerError(
                403,
                id: ErrorID(rawValue: "security_csrf_violation"),
                reason: "The form has no valid CSRF token."
            )
        }
        return nil
    }

    func respond(
        to result: Result<FlowOutcome, ServerError>,
        in exchange: FlowExchange
    ) throws(ServerError) -> HTTP.Response {
        let request = exchange.request.request
        switch result {
        case .failure(let error):
            if request.headers["Accept"]?.contains("text/html") != true { throw error }
            return redirect(to: "/error?status=\(error.status)")
        case .success(let outcome): return respond(to: outcome, request: request)
        }
    }

    private func respond(to outcome: FlowOutcome, request: HTTP.Request) -> HTTP.Response {
        switch outcome {
        case .loggedIn(let opened): signIn(opened.token, in: opened.flow)
        case .registered(let registered): signIn(registered.session?.1, in: registered.flow)
        case .shown(let flow, let identity, let next):
            show(flow, 200, of: identity, then: next, to: request)
        case .passed(let flow, _, let identity, let next):
            passed(flow, of: identity, then: next, to: request)
        case .waiting(let flow): show(flow, 200, to: request)
        case .refused(let flow, let identity): show(flow, 400, of: identity, to: request)
        case .expired(let replacement), .replaced(let replacement): redirect(to: page(of: replacement.flow))
        case .moved(let flow), .guessesUsedUp(let flow): redirect(to: page(of: flow))
        case .unverified(let flow, _): redirect(to: "/verification?return_to=" + page(of: flow))
        case .refreshRequired(let flow): redirect(to: "/login?refresh=true&return_to=" + page(of: flow))
        }
    }

    /// Responds with the form, and makes sure that the browser has a CSRF cookie.
    private func show(
        _ flow: Flow,
        _ status: Int,
        of identity: IdentityRecord? = nil,
        then next: [ContinueWith] = [],
        to request: HTTP.Request
    ) -> HTTP.Response {
        let known = request.cookie(Self.csrfCookie)
        let csrf = known ?? Base64URL.encode(random.bytes(16))
        let body = flows.body(flow, of: identity, continuation: next, csrfToken: csrf)
        var response = HTTP.Response.json(status, body: body)
        if known == nil {
            response.headers["Set-Cookie"] = "\(Self.csrfCookie)=\(csrf); HttpOnly; SameSite=Lax; Path=/"
        }
        return response
    }

    private func passed(
        _ flow: Flow,
        of identity: IdentityRecord?,
        then next: [ContinueWith],
        to request: HTTP.Request
    ) -> HTTP.Response {
        for case .sessionToken(let token) in next {
            return redirect(to: "/settings", cookie: token)
        }
        return show(flow, 200, of: identity, then: next, to: request)
    }

    private func signIn(_ token: SessionToken?, in flow: Flow) -> HTTP.Response {
        redirect(to: flow.returnTo ?? "/welcome", cookie: token?.secret)
    }

    private func redirect(to location: String, cookie: Secret? = nil) -> HTTP.Response {
        var response = HTTP.Response(303, headers: ["Location": location])
        if let cookie {
            response.headers["Set-Cookie"] =
                "\(RequestCredentials.cookie)=\(cookie.exposed); HttpOnly; SameSite=Lax; Path=/"
        }
        return response
    }

    private func page(of flow: Flow) -> String { "/\(flow.kind.rawValue)?flow=\(flow.id)" }
}
