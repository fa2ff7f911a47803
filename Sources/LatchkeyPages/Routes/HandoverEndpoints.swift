import LatchkeyAccounts
import LatchkeyModel
import LatchkeyOAuth
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire

/// The page on which a browser continues the session of an app.
struct HandoverEndpoints: Sendable {
    private static let codeField = "code"

    let answers: PageAnswers
    let authenticator: SessionAuthenticator
    let identities: IdentityRepository
    let handovers: Handovers

    var endpoints: [Endpoint] {
        [
            endpoint(
                .get,
                .page(
                    .handover,
                    "Continues the session of an app, or asks the user first.",
                    parameters: [.query(Self.codeField, "The code that the app has got.")]
                ),
                answer: show
            ),
            endpoint(
                .post,
                .page(.handover, "Answers whether to continue the session of an app.", posting: true),
                answer: answer
            ),
        ]
    }

    private func endpoint(
        _ method: HTTP.Method,
        _ operation: APIOperation,
        answer: @escaping Endpoint.Answer
    ) -> Endpoint {
        Endpoint(
            method,
            answers.renderer.urls.path(of: .handover),
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

    private func show(_ context: RequestContext) async throws -> HTTP.Response {
        // A program that only looks at the address doesn't use the code up.
        guard context.request.method != .head else {
            return HTTP.Response(200, headers: ["Cache-Control": "no-store", "Vary": "Cookie"])
        }
        let context = answers.hosted.starting(context)
        guard let handover = try await handover(context.query[Self.codeField], at: context.now) else {
            return ended(context)
        }
        let session = try await authenticator.session(of: context)
        if handovers.isSilent(handover, session: session, in: context) {
            return try await redeem(handover, replacing: session, in: context)
        }
        let code = context.query[Self.codeField] ?? ""
        return try await question(about: handover, code: code, session: session, in: context)
    }

    private func answer(_ context: RequestContext) async throws -> HTTP.Response {
        // A login in another tab renews the browser's secret, so the user sees the question for that session first.
        let form = try answers.form(of: context)
        let context = answers.hosted.starting(context)
        guard let handover = try await handover(form[Self.codeField], at: context.now) else {
            return ended(context)
        }
        switch form[ConsentPage.decisionField].flatMap(ConsentPage.Decision.init) {
        case .approve:
            let session = try await authenticator.session(of: context)
            return try await redeem(handover, replacing: session, in: context)
        case .refuse:
            try await handovers.refuse(handover, at: context.now)
            return answers.redirection(to: answers.renderer.urls.page(.welcome).text)
        case .switchAccount, nil: throw ServerError.malformed("The form contains no decision.")
        }
    }

    private func handover(_ code: String?, at now: Timestamp) async throws -> Handover? {
        guard let code, !code.isEmpty else { return nil }
        return try await handovers.find(HandoverCode(presented: Secret(code)), at: now)
    }

    private func redeem(
        _ handover: Handover,
        replacing session: AuthenticatedSession?,
        in context: RequestContext
    ) async throws -> HTTP.Response {
        let outcome = try await handovers.redeem(handover, replacing: session, in: context)
        guard let outcome else { return ended(context) }
        var response = answers.redirection(to: handover.redirectURI)
        // The address contains the code, which other sites needn't see even if it is used.
        response.headers["Referrer-Policy"] = "no-referrer"
        if case .opened(let session, let token) = outcome {
            answers.hosted.setSession(session, token: token, for: context, in: &response)
        }
        return response
    }

    private func question(
        about handover: Handover,
        code: String,
        session: AuthenticatedSession?,
        in context: RequestContext
    ) async throws -> HTTP.Response {
        var current: String?
        if let session, session.identity.id != handover.identity {
            current = try await name(of: session.identity.id)
        }
        let page = HandoverPage(
            client: PageClient(handover.source),
            account: try await name(of: handover.identity),
            current: current,
            form: PageForm(
                action: answers.renderer.urls.page(.handover),
                csrfToken: answers.hosted.token(for: context),
                fields: [FormField(name: Self.codeField, value: code)]
            )
        )
        var response = answers.response(with: page, to: context)
        answers.hosted.setSecret(of: context, in: &response)
        return response
    }

    /// Returns the name by which a user recognizes the account.
    private func name(of identity: Identifier) async throws -> String {
        try await identities.identifier(of: identity) ?? identity.description
    }

    private func ended(_ context: RequestContext) -> HTTP.Response {
        answers.response(with: NoticePage(.handoverEnded), to: context)
    }
}
