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
    /// A flow that has expired is replaced by a new one, which leads to the same address.
    private func show(_ kind: FlowKind, in context: RequestContext) async throws -> HTTP.Response {
        let hosted = answers.hosted
        guard let id = context.query["flow"], !id.isEmpty else {
            return answers.redirection(to: hosted.start(kind, query: context.request.query))
        }
        let shown: HostedFlows.Shown
        do {
            shown = try await hosted.show(kind, id: id, in: context)
        } catch let error as ServerError where error.id == .flowExpired {
            let query = error.restart?.returnTo.map { "return_to=" + QueryItems.encode($0) }
            return answers.redirection(to: hosted.start(kind, query: query))
        } catch let error as ServerError where error.id == .csrfViolation && kind != .settings {
            // A form that was sent twice leads to a new one, which belongs to the browser before the login.
            guard try await authenticator.session(of: context) != nil else { throw error }
            return answers.redirection(to: hosted.home)
        } catch let error as ServerError where error.id == .sessionInactive {
            return answers.redirection(to: hosted.login(returnTo: PageRoute.settings.path))
        }
        let flow = shown.flow
        if flow.kind == .verification, flow.state == .passedChallenge, flow.isOpenedElsewhere {
            return answers.response(with: NoticePage(.confirmedElsewhere), to: context)
        }
        var page = page(of: shown, in: context)
        if kind == .settings, let identity = flow.identityID {
            page.account = try await identities.identifier(of: identity)
        }
        return answers.response(with: page, to: context)
    }

    private func page(of shown: HostedFlows.Shown, in context: RequestContext) -> FlowPage {
        var page = FlowPage(shown.flow, ui: shown.ui)
        page.parameters.uiLocales = context.query["ui_locales"]
        page.section = context.query["section"]
        page.isLeftByForm = page.isLeftByForm || answers.hosted.leadsElsewhere
        page.offersRecovery = answers.hosted.offersRecovery
        page.offersRegistration = answers.hosted.offersRegistration
        // A user who has just signed up is logged in already, and may verify the address later.
        if shown.flow.kind == .verification, shown.flow.sessionID != nil, shown.flow.state == .sentEmail {
            page.skip = LinkURL(shown.flow.returnTo ?? PageRoute.welcome.path)
        }
        return page
    }
}
