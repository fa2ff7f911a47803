import LatchkeyAccounts
import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// Responds to browsers the way Kratos's browser flows do, with cookies, and with redirections or JSON.
package struct BrowserFlowResponder: FlowResponder {
    private let flows: FlowWriter
    private let identities: IdentityWriter
    private let urls: ServerURLs
    private let browsers: BrowserSessions
    private let pages: BrowserPages
    private let returnURLs: ReturnURLs
    private let errors: BrowserErrors
    private let authorization: (any AuthorizationContinuation)?

    package static var type: FlowType { .browser }

    package init(_ services: ResponderServices) {
        flows = services.flows
        identities = services.identities
        urls = services.environment.urls
        browsers = services.browsers
        pages = services.pages
        returnURLs = services.returnURLs
        errors = services.errors
        authorization = services.authorization
    }

    /// Returns whether a request was sent by a browser that shows pages.
    ///
    /// All others can read the error envelope.
    package func expects(_ request: HTTP.Request) -> Bool {
        ResponseFormat(request) == .page
            && request.headers.all("Accept").contains { $0.lowercased().contains("text/html") }
    }

    package func refusal(
        of submission: Result<Submission, Submission.Refusal>,
        in context: RequestContext,
        to flow: Flow
    ) throws(ServerError) -> Submission.Refusal? {
        try browsers.checkOrigin(of: submission, in: context)
        return nil
    }

    package func respond(
        to result: Result<FlowOutcome, ServerError>,
        in exchange: FlowExchange
    ) throws(ServerError) -> HTTP.Response {
        var response: HTTP.Response
        switch result {
        case .success(let outcome): response = try respond(to: outcome, in: exchange)
        case .failure(let error): response = try respond(to: error, in: exchange)
        }
        response.headers["Vary"] = "Cookie, Accept"
        return response
    }

    private func respond(
        to error: ServerError,
        in exchange: FlowExchange
    ) throws(ServerError) -> HTTP.Response {
        let context = exchange.request
        let answer = BrowserAnswer(
            to: error,
            about: exchange.kind,
            at: exchange.step,
            in: ResponseFormat(context.request),
            returnTo: context.query["return_to"].flatMap(returnURLs.normalized),
            challenge: exchange.step == .start
                ? context.query["login_challenge"].flatMap { Identifier($0) } : exchange.flow?.loginChallenge
        )
        guard let address = address(of: answer, for: error, in: exchange) else { throw error }
        var response = redirection(to: address)
        // The page that shows the error sees from the cookie whether the browser accepts cookies.
        if error.id == .loginChallengeInvalid { browsers.setSecret(of: context, in: &response) }
        return response
    }

    private func respond(
        to outcome: FlowOutcome,
        in exchange: FlowExchange
    ) throws(ServerError) -> HTTP.Response {
        let context = exchange.request
        let answer = BrowserAnswer(to: outcome, at: exchange.step, in: ResponseFormat(context.request))
        let error = outcome.error(urls: urls)
        var response: HTTP.Response
        if case .body(let status) = answer {
            response = .json(status, body: body(of: outcome, in: exchange))
        } else if let address = address(of: answer, for: error, in: exchange) {
            response = redirection(to: address)
        } else {
            throw error ?? ServerError(500)
        }
        browsers.setSecret(of: context, in: &response)
        switch outcome {
        case .loggedIn(let opened):
            browsers.setSession(
                opened.session,
                token: opened.token,
                isRenewed: opened.isRenewed,
                for: context,
                in: &response
            )
        case .registered(let registered):
            guard let (session, token) = registered.session else { break }
            browsers.setSession(session, token: token, for: context, in: &response)
        case .recovered(let recovered):
            browsers.setSession(recovered.session, token: recovered.token, for: context, in: &response)
        default: break
        }
        return response
    }

    // MARK: Redirections

    /// Returns the address that an answer redirects to, or `nil` if it doesn't.
    private func address(
        of answer: BrowserAnswer,
        for error: ServerError?,
        in exchange: FlowExchange
    ) -> String? {
        let context = exchange.request
        return switch answer {
        case .page(let kind, let flow):
            pages.page(
                of: kind,
                flow: flow,
                in: context.query["ui_locales"].flatMap { $0.isEmpty ? nil : $0 }
            )
        case .leave(let address): address ?? pages.home
        case .authorize(let challenge): authorization?.address(continuing: challenge) ?? pages.home
        case .login(let returnTo): pages.login(returnTo: returnTo)
        case .reauthenticate(let kind, let flow):
            pages.login(refresh: true, returnTo: pages.action(of: kind, flow: flow))
        case .errorPage:
            pages.error(errors.id(for: error ?? ServerError(500), at: context.now), in: exchange)
        case .body, .envelope: nil
        }
    }

    private func redirection(to address: String) -> HTTP.Response {
        HTTP.Response(303, headers: ["Location": address])
    }

    // MARK: Bodies

    private func body(of outcome: FlowOutcome, in exchange: FlowExchange) -> [UInt8] {
        let token = browsers.token(for: exchange.request)
        switch outcome {
        case .passed(let flow, _, let identity, let steps) where flow.loginChallenge != nil:
            let next = [way(on: flow)] + located(steps)
            return flows.body(flow, of: identity, continuation: next, csrfToken: token)
        case .continued(let flow): return flows.body(flow, continuation: [way(on: flow)], csrfToken: token)
        case .shown(let flow, let identity, let steps), .passed(let flow, _, let identity, let steps):
            return flows.body(flow, of: identity, continuation: located(steps), csrfToken: token)
        case .recovered(let recovered):
            let steps = located([.settings(flow: recovered.settings.id)])
            return flows.body(recovered.flow, continuation: steps, csrfToken: token)
        case .refused(let flow, let identity):
            return flows.body(flow, of: identity, csrfToken: token)
        case .loggedIn(let opened):
            return identities.login(
                opened.session,
                token: nil,
                of: opened.identity,
                duties: exchange.duties,
                then: [way(on: opened.flow)]
            )
        case .registered(let registered):
            let next = way(on: registered.flow)
            let verifications = located(registered.verifications.map(\.continuation))
            return identities.registration(
                registered,
                token: nil,
                duties: exchange.duties,
                then: [next] + verifications
            )
        case .waiting, .alreadyLoggedIn, .expired, .replaced, .moved, .guessesUsedUp, .unverified,
            .refreshRequired:
            return flows.body(outcome.flow, csrfToken: token)
        }
    }

    /// Returns the step that leads to where the user wanted to go.
    private func way(on flow: Flow) -> ContinueWith {
        let request = flow.loginChallenge.flatMap { authorization?.address(continuing: $0) }
        return .redirect(to: request ?? flow.returnTo ?? pages.home)
    }

    /// Returns the steps with the addresses of their pages.
    private func located(_ steps: [ContinueWith]) -> [ContinueWith] {
        steps.map { step in
            switch step {
            case .verification(let flow, let address, _):
                .verification(flow: flow, address: address, page: pages.page(of: .verification, flow: flow))
            case .settings(let flow, _):
                .settings(flow: flow, page: pages.page(of: .settings, flow: flow))
            case .sessionToken, .recovery, .redirect: step
            }
        }
    }
}
