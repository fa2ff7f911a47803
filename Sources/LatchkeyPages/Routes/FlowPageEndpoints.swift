import LatchkeyAccounts
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire

/// The pages of self-service flows.
struct FlowPageEndpoints: Sendable {
    let answers: PageAnswers
    let authenticator: SessionAuthenticator
    let identities: IdentityRepository

    var endpoints: [Endpoint] {
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
        if flow.kind == .verification, flow.state == .passedChallenge, flow.isOpenedElsewhere {
            return answers.response(with: NoticePage(.confirmedElsewhere), to: context)
        }
        var page = page(of: shown, in: context)
        page.skip = try await skip(flow, in: context)
        if kind == .settings, let identity = flow.identityID {
            page.account = try await identities.identifier(of: identity)
        }
        return answers.response(with: page, to: context, preferring: flow.authorization?.uiLocales)
    }

    /// Returns the link "Not now" of a user who is logged in already.
    ///
    /// A user who has just signed up may verify the address later, and one who has recovered the account may keep
    /// the password.
    private func skip(_ flow: Flow, in context: RequestContext) async throws -> LinkURL? {
        switch flow.kind {
        case .verification where flow.state == .passedChallenge: return nil
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
        case .login, .registration, .recovery: answers.hosted.address(refusing: flow).flatMap { LinkURL($0) }
        case .settings, .verification: nil
        }
    }
}
