import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    /// Describes the route that starts a flow.
    ///
    /// All three routes use the operation ids of Kratos's API, such as `createNativeLoginFlow`.
    static func begin(_ flow: DocumentedFlow, for type: FlowType) -> APIOperation {
        let kind = flow.kind
        var parameters: [APIParameter] = [
            .language,
            .query(
                "return_to",
                "The URL to return to after the flow; must be an allowed return URL."
            ),
            .query("identity_schema", "The identity schema that defines the fields of the form."),
        ]
        if kind == .login {
            parameters += [
                .query("refresh", "Whether a logged-in user must re-authenticate.", .boolean),
                .query(
                    "aal",
                    "The requested authenticator assurance level.",
                    .oneOf(AssuranceLevel.allCases)
                ),
            ]
        }
        if type == .browser {
            parameters.append(
                .query(
                    "login_challenge",
                    "The authorization request of an OAuth client that the flow belongs to.",
                    .uuid
                )
            )
        }
        if type == .api, kind == .login || kind == .registration || kind == .recovery {
            parameters += [
                .query("client_id", "The id of the app's registered client, which the session records."),
                .query(
                    "request_uri",
                    "An authorization request that the client has pushed. The response of the completed flow contains its answer in `continue_with`."
                ),
            ]
        }
        if type == .api, kind == .login || kind == .registration {
            parameters += Self.linkParameters
        }
        var responses = [APIResponse(200, "A new flow.", .component(.flow(flow)))]
        switch kind {
        case .login:
            responses += [
                .refusal(400, "`session_already_available` without `refresh`, or a parameter is invalid."),
                .refusal(
                    401,
                    "`session_aal1_required`: a second factor was requested without an active session."
                ),
            ]
        case .registration:
            responses.append(
                .refusal(
                    400,
                    "`self_service_flow_disabled`: registration, or registration with this schema, is disabled; `session_already_available`; or a parameter is invalid."
                )
            )
        case .settings:
            responses += [
                .refusal(401, "`session_inactive`: the request has no active session."),
                .refusal(403, "`device_certificate_required`."),
                .refusal(409, "The identity's schema no longer exists."),
            ]
        case .recovery, .verification:
            responses.append(.refusal(400, "The flow is disabled, or a parameter is invalid."))
        }
        let (client, text) = type == .api ? ("Native", "native app") : ("Browser", "browser")
        if type == .browser {
            let others = responses.filter { $0.status == 400 }.map { " " + $0.summary }.joined()
            responses.removeAll { $0.status == 400 }
            responses += [
                .redirection,
                .refusal(
                    400,
                    "`login_challenge_invalid`: the browser has no such open authorization request." + others
                ),
            ]
        }
        responses.append(.tooManyRequests)
        return APIOperation(
            "create\(client)\(flow.name)Flow",
            "Creates a \(kind.rawValue) flow for a \(text).",
            parameters: parameters,
            responses
        )
    }

    /// The parameters of an app that asks for a mailed link which leads back to it.
    private static let linkParameters: [APIParameter] = [
        .query(
            "redirect_uri",
            "The registered URI to which the link in the mail leads back with an authorization code. Needs `client_id`, `state`, `scope`, `code_challenge` and `code_challenge_method`."
        ),
        .query("state", "The value that the redirect URI contains."),
        .query("scope", "The requested scopes of the authorization code."),
        .query("code_challenge", "The challenge for the app's verifier (RFC 7636)."),
        .query("code_challenge_method", "Always `S256`."),
        .query("nonce", "The value that the first ID token contains."),
    ]

    /// Describes the route that returns a flow.
    ///
    /// Settings flows require a session. Any other flow can be read by anyone who knows its id.
    static func show(_ flow: DocumentedFlow) -> APIOperation {
        var responses: [APIResponse] = [
            APIResponse(200, "The flow.", .component(.flow(flow))),
            .refusal(403, "`security_csrf_violation`: the flow belongs to another browser."),
            .refusal(404, "The flow does not exist."),
            .refusal(410, "`self_service_flow_expired`: the flow has expired."),
        ]
        if flow.kind == .settings {
            responses += [
                .refusal(401, "`session_inactive`: the request has no active session."),
                .refusal(
                    403,
                    "`security_identity_mismatch`: the flow belongs to another identity; `security_csrf_violation`: it belongs to another browser; or `device_certificate_required`."
                ),
            ]
            responses.remove(at: 1)
        }
        return APIOperation(
            "get\(flow.name)Flow",
            "Returns the current state of a \(flow.kind.rawValue) flow.",
            parameters: [.query("id", "The flow's id.", .uuid, isRequired: true)],
            responses
        )
    }

    /// Describes the route that leads a browser to the page of a flow.
    static func open(_ flow: DocumentedFlow) -> APIOperation {
        APIOperation(
            "open\(flow.name)Flow",
            "Redirects a browser to the page of a \(flow.kind.rawValue) flow.",
            parameters: [.query("flow", "The flow's id.", .uuid, isRequired: true)],
            [
                .redirection,
                .refusal(403, "`security_csrf_violation`: the flow belongs to another browser."),
                .refusal(404, "The flow does not exist."),
            ]
        )
    }

    /// Describes the route that accepts submissions to a flow.
    ///
    /// The body may be JSON or a form (``Submission/read(_:by:)``).
    static func submit(_ flow: DocumentedFlow) -> APIOperation {
        APIOperation(
            "update\(flow.name)Flow",
            "Submits values to a \(flow.kind.rawValue) flow.",
            details: """
                The members of the body are named after the form's nodes. A response with status 400 that contains a \
                flow is not an error: the flow shows the next step, or reports validation errors at its nodes. \
                Requests to a native app's flow with an `Origin` or with cookies come from browsers and are rejected. \
                Requests to a browser's flow need its `csrf_token`. Browsers that show pages are redirected.
                """,
            parameters: [.query("flow", "The flow's id.", .uuid, isRequired: true), .language],
            body: APIBody(
                schema: .component(.submission(flow)),
                mediaTypes: ["application/json", "application/x-www-form-urlencoded"]
            ),
            answers(to: flow) + (flow.kind == .verification ? [] : [.redirection]) + [
                .refusal(404, "The flow does not exist, or the requested method is disabled."),
                .tooManyRequests,
            ]
        )
    }

    /// Returns the documented responses to a submission that depend on the kind of flow.
    ///
    /// Flows of all kinds can also respond with 404 and 429.
    private static func answers(to documented: DocumentedFlow) -> [APIResponse] {
        let flow = JSONSchema.component(.flow(documented))
        let next = APIResponse(
            400,
            "The flow with its next step or its validation errors, or an error.",
            .either([flow, .error])
        )
        let over = APIResponse.refusal(410, "`self_service_flow_expired`: continue with `use_flow_id`.")
        switch documented.kind {
        case .login:
            return [
                APIResponse(200, "A session was created.", .component(.login)), next,
                .refusal(401, "`session_aal1_required`: the second step of a login needs an active session."),
                .refusal(
                    403,
                    "`session_verified_address_required`: an address must be verified first (`continue_with`); or `security_identity_mismatch`: the second step of a login belongs to another identity; or `security_csrf_violation`: the form comes from another browser or site."
                ), over,
            ]
        case .registration:
            return [
                APIResponse(200, "An identity was created.", .component(.registration)), next, over,
                .refusal(403, "`security_csrf_violation`: the form comes from another browser or site."),
                .refusal(502, "`delivery_failed`: the server sends no text messages to the number."),
            ]
        case .settings:
            return [
                APIResponse(200, "The change was saved.", flow), next,
                .refusal(401, "`session_inactive`: the request has no active session."),
                .refusal(
                    403,
                    "`session_refresh_required`: re-authenticate first; `security_identity_mismatch`: the flow belongs to another identity; `security_csrf_violation`: the form comes from another browser or site; or `device_certificate_required`."
                ),
                .refusal(409, "The identity's schema no longer exists."), over,
            ]
        case .recovery:
            return [
                APIResponse(
                    200,
                    "The flow. A code was sent or rejected, or a code was accepted and a session was created (`continue_with`).",
                    flow
                ),
                next, over,
                .refusal(403, "`security_csrf_violation`: the form comes from another browser or site."),
            ]
        case .verification:
            return [
                APIResponse(200, "The flow. A code was sent, rejected or accepted.", flow),
                APIResponse(
                    303,
                    "The flow has expired and a new flow was created, or a browser that shows pages is redirected.",
                    headers: [.location]
                ), next,
                .refusal(403, "`security_csrf_violation`: the form comes from another browser or site."),
                .refusal(410, "`self_service_flow_replaced`: continue with `use_flow_id`."),
            ]
        }
    }
}

extension APIResponse {
    /// The redirection of a browser that shows pages.
    static let redirection = APIResponse(
        303,
        "Browsers that show pages are redirected, also with an error.",
        headers: [.location]
    )
}
