import LatchkeyAccounts
package import LatchkeyServerKit
package import LatchkeyWire

/// Responds to native clients the way Kratos's API flows do, with JSON and without cookies.
package struct APIFlowResponder: FlowResponder {
    private let flows: FlowWriter
    private let identities: IdentityWriter
    private let urls: ServerURLs

    package static var type: FlowType { .api }

    package init(_ services: ResponderServices) {
        flows = services.flows
        identities = services.identities
        urls = services.environment.urls
    }

    package func expects(_ request: HTTP.Request) -> Bool { true }

    /// Rejects submissions from browsers, because a flow of a native app isn't protected by a CSRF token.
    package func refusal(
        of submission: Result<Submission, Submission.Refusal>,
        in context: RequestContext,
        to flow: Flow
    ) throws(ServerError) -> Submission.Refusal? {
        BrowserRequest.reason(for: context.request).map { Submission.Refusal(reason: $0) }
    }

    package func respond(
        to result: Result<FlowOutcome, ServerError>,
        in exchange: FlowExchange
    ) throws(ServerError) -> HTTP.Response {
        try respond(
            to: try result.get(),
            of: exchange.kind,
            duties: exchange.duties,
            answering: (exchange.authorizationResponse.map { [.redirect(to: $0)] } ?? [])
                + (exchange.settings.map { [.settings(flow: $0)] } ?? [])
        )
    }

    /// Returns the response for an outcome, or throws the error to send to the client.
    ///
    /// The body is a flow, except after a completed login or registration. The status is 200 if the flow was
    /// shown or completed, and 400 if the submission was rejected. If the flow is waiting for its next step,
    /// the status is 400 for logins and registrations and 200 for all other kinds, as in Kratos. If a
    /// verification flow has expired, the status is 303 and the `Location` header contains the URL of its
    /// replacement.
    ///
    /// - Throws: A ``ServerError`` with status 410 if the flow has expired or was replaced, 403 if a login
    ///   requires a verified address or a change requires a recent login, and 400 if a recovery code has no
    ///   guesses left.
    private func respond(
        to outcome: FlowOutcome,
        of kind: FlowKind,
        duties: [AccountDuty],
        answering answers: [ContinueWith]
    ) throws(ServerError) -> HTTP.Response {
        switch outcome {
        case .shown(let flow, let identity, let continuation),
            .passed(let flow, _, let identity, let continuation):
            let steps = answers + continuation
            return .json(200, body: flows.body(flow, of: identity, continuation: steps))
        case .waiting(let flow): return .json(kind.waitingStatus, body: flows.body(flow))
        case .recovered(let recovered):
            let steps: [ContinueWith] = [
                .sessionToken(recovered.token.secret), .settings(flow: recovered.settings.id),
            ]
            return .json(200, body: flows.body(recovered.flow, continuation: steps))
        case .alreadyLoggedIn(let flow), .continued(let flow): return .json(400, body: flows.body(flow))
        case .refused(let flow, let identity):
            return .json(400, body: flows.body(flow, of: identity))
        case .loggedIn(let opened):
            let body = identities.login(
                opened.session,
                token: opened.token,
                of: opened.identity,
                duties: duties,
                then: answers
            )
            return response(body, for: opened.session)
        case .registered(let registered):
            return response(
                identities.registration(registered, duties: duties, answering: answers),
                for: registered.session?.0
            )
        case .moved(let flow):
            let path = urls.selfService + flow.kind.showPath
            return HTTP.Response(303, headers: ["Location": "\(path)?id=\(flow.id)"])
        case .expired, .replaced, .guessesUsedUp, .unverified, .refreshRequired:
            throw outcome.error(urls: urls) ?? ServerError(500)
        }
    }

    /// Returns the response to a login or registration.
    ///
    /// If the session doesn't need a device certificate, the response has a header that tells the client so.
    private func response(_ body: [UInt8], for session: Session?) -> HTTP.Response {
        var response = HTTP.Response.json(200, body: body)
        if let session, !session.needsCertificate {
            response.headers[CertificateRequirement.header] = CertificateRequirement.optional.rawValue
        }
        return response
    }
}
