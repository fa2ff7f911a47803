import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire

/// The pages of self-service flows.
struct FlowPageEndpoints: Sendable {
    let answers: PageAnswers
    let authenticator: SessionAuthenticator
    let identities: IdentityRepository

    var endpoints: [Endpoint] {
        pages + reports
    }

    private var pages: [Endpoint] {
        FlowKind.allCases.compactMap { kind in
            PageRoute(rawValue: kind.rawValue).map { route in
                Endpoint(
                    .get,
                    route.path,
                    below: .server,
                    accepts: .session(SessionCredentials(.considered, carrier: .cookie)),
                    errors: .page,
                    operation: .page(
                        route,
                        "Shows a \(kind.rawValue) flow, or starts one.",
                        parameters: [
                            .query("flow", "The flow's id. Without one, a flow is started."),
                            .query(
                                "login_challenge",
                                "The authorization request of a flow that is started.",
                                .uuid
                            ),
                            .query("ui_locales", "The preferred languages, separated by spaces."),
                        ]
                    )
                ) { context in
                    try await show(kind, in: context)
                }
            }
        }
    }

    private var reports: [Endpoint] {
        [(FlowKind.verification, PageRoute.verification), (.recovery, .recovery)].map { kind, route in
            Endpoint(
                .post,
                route.path,
                below: .server,
                accepts: .none,
                errors: .page,
                operation: .page(
                    route,
                    kind == .verification
                        ? "Ends the verification flow of a mailed link that the user hasn't asked for, or leads back to the app that has asked for it."
                        : "Ends the \(kind.rawValue) flow of a mailed link that the user hasn't asked for.",
                    posting: true,
                    parameters: [.query("flow", "The flow's id, in a browser that has opened the link.")]
                )
            ) { context in
                let form = try answers.form(of: context)
                if kind == .verification,
                    form[LinkConfirmedPage.actionField] == LinkConfirmedPage.openAction
                {
                    return try await returned(in: context)
                }
                let code = form[Self.codeField]
                let notice: NoticePage.Notice =
                    switch try await answers.hosted.report(kind, withCode: code, in: context) {
                    case .ended: .reported
                    case .expired: .linkExpired
                    case .used: .linkUsed
                    }
                return answers.response(with: NoticePage(notice), to: context)
            }
        }
    }

    private static let codeField = "code"

    /// Leads the browser back to the app that has asked for a mailed link.
    private func returned(in context: RequestContext) async throws -> HTTP.Response {
        switch try await answers.hosted.linkReturn(in: context) {
        // The app asks for the open duties: no page can without a session of the browser.
        case .app(let address): answers.redirection(to: address)
        case .confirmed: answers.response(with: NoticePage(.confirmedElsewhere), to: context)
        case .unconfirmed(let flow): answers.redirection(to: verificationPage(of: flow).text)
        }
    }

    private func verificationPage(of flow: Flow) -> LinkURL {
        answers.renderer.urls.page(.verification).adding("flow", value: flow.pageID.description)
    }

    /// Shows a flow.
    ///
    /// A flow that has expired is replaced by a new one, which leads to the same address. If the authorization
    /// request of a flow isn't open any more, the user isn't asked for credentials in vain.
    private func show(_ kind: FlowKind, in context: RequestContext) async throws -> HTTP.Response {
        let hosted = answers.hosted
        guard let id = context.query["flow"], !id.isEmpty else {
            return answers.redirection(to: hosted.start(kind, query: context.request.query))
        }
        let shown: HostedFlows.Shown
        do {
            shown = try await hosted.show(kind, id: id, in: context)
        } catch let error as ServerError where error.id == .flowExpired {
            return answers.redirection(to: error.restart?.location ?? hosted.start(kind, query: nil))
        } catch let error as ServerError where error.browserLocation != nil {
            return answers.redirection(to: error.browserLocation ?? hosted.home)
        } catch let error as ServerError where error.id == .csrfViolation && kind != .settings {
            // A form that was sent twice leads to a new one, which belongs to the browser before the login.
            guard try await authenticator.session(of: context) != nil else { throw error }
            return answers.redirection(to: hosted.home)
        } catch let error as ServerError where error.id == .sessionInactive {
            return answers.redirection(to: hosted.login(returnTo: PageRoute.settings.path))
        }
        let flow = shown.flow
        if let address = hosted.address(ofEnded: flow) { return answers.redirection(to: address) }
        if flow.isOpenedElsewhere, let answer = try await response(toLink: shown, in: context) {
            return answer
        }
        var page = page(of: shown, in: context)
        page.skip = try await skip(flow, in: context)
        if kind == .settings, let identity = flow.identityID {
            page.account = try await identities.identifier(of: identity)
        }
        return answers.response(with: page, to: context, preferring: flow.authorization?.uiLocales)
    }

    /// Returns the page of a mailed link in a browser that hasn't asked for it.
    private func response(
        toLink shown: HostedFlows.Shown,
        in context: RequestContext
    ) async throws -> HTTP.Response? {
        let flow = shown.flow
        guard flow.completedAt == nil else {
            if let client = try await answers.hosted.returningClient(of: flow, in: context) {
                let form = PageForm(
                    action: verificationPage(of: flow),
                    csrfToken: answers.hosted.token(for: answers.hosted.starting(context))
                )
                return answers.response(
                    with: LinkConfirmedPage(client: PageClient(client), form: form),
                    to: context
                )
            }
            let isConfirmed = flow.kind == .verification && flow.state == .passedChallenge
            return answers.response(
                with: NoticePage(isConfirmed ? .confirmedElsewhere : .linkUsed),
                to: context
            )
        }
        guard let link = flow.link, let route = PageRoute(rawValue: flow.kind.rawValue),
            let origin = try await answers.hosted.origin(of: flow)
        else { return nil }
        let form = PageForm(
            action: LinkURL(shown.ui.action) ?? .root,
            csrfToken: answers.hosted.token(for: answers.hosted.starting(context)),
            fields: [
                FormField(name: "method", value: Self.codeField),
                FormField(name: Self.codeField, value: link.code.exposed),
            ]
        )
        var page = MailedLinkPage(
            flow.kind == .recovery ? .recovery : .verification,
            address: origin.maskedAddress,
            client: origin.client.map { PageClient($0) },
            requestedAt: origin.askedAt,
            place: origin.askedFrom,
            form: form,
            report: answers.renderer.urls.page(route).adding("flow", value: link.page.description)
        )
        page.errors = (shown.ui.messages ?? []).filter { $0.type == .error }
        page.isLeftByForm = answers.hosted.leadsElsewhere
        return answers.response(with: page, to: context)
    }

    /// Returns the link "Not now" of a user who is logged in already.
    ///
    /// A user who has just signed up may verify the address later, and one who has recovered the account may keep
    /// the password.
    private func skip(_ flow: Flow, in context: RequestContext) async throws -> LinkURL? {
        switch flow.kind {
        case .verification where flow.state == .passedChallenge: return nil
        // The request would only lead back to the form.
        case .settings where flow.dutyFields != nil: return nil
        case .settings, .verification:
            if let address = answers.hosted.address(continuing: flow) {
                return try await authenticator.session(of: context) == nil ? nil : LinkURL(address)
            }
            guard flow.kind == .verification, flow.sessionID != nil, flow.state == .sentEmail else {
                return nil
            }
            return LinkURL(flow.returnTo ?? PageRoute.welcome.path)
        case .login, .registration, .recovery: return nil
        }
    }

    private func page(of shown: HostedFlows.Shown, in context: RequestContext) -> FlowPage {
        var page = FlowPage(shown.flow, ui: shown.ui)
        page.parameters.uiLocales = context.query["ui_locales"]
        page.section = context.query["section"]
        page.isLeftByForm = page.isLeftByForm || answers.hosted.leadsElsewhere
        page.offersRecovery = answers.hosted.offersRecovery
        page.offersRegistration = answers.hosted.offersRegistration
        if let client = shown.flow.authorization?.client {
            page.request = FlowPage.Request(client: PageClient(client), cancel: cancel(shown.flow))
        }
        return page
    }

    /// Returns the address to which the button "Cancel" posts the form.
    private func cancel(_ flow: Flow) -> LinkURL? {
        switch flow.kind {
        case .login, .registration, .recovery:
            flow.authorization.flatMap { answers.hosted.address(refusing: $0) }.flatMap { LinkURL($0) }
        case .settings where flow.dutyFields != nil:
            flow.authorization.flatMap { answers.hosted.address(refusing: $0) }.flatMap { LinkURL($0) }
        case .settings, .verification: nil
        }
    }
}
