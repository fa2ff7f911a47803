extension APIOperation {
    /// Describes the route that begins a flow.
    static func begin(_ kind: FlowKind) -> APIOperation {
        var parameters: [APIParameter] = [
            .language,
            .query(
                "return_to",
                "Where the flow leads when it is over; only to addresses that the operator allows."
            ),
            .query("identity_schema", "The identity schema whose fields the form has."),
        ]
        if kind == .login {
            parameters += [
                .query("refresh", "Whether somebody who is logged in is to prove it again.", .boolean),
                .query("aal", "The assurance level that is asked for.", .oneOf("aal1", "aal2")),
            ]
        }
        var responses = [APIResponse(200, "A new flow.", .component(.flow(kind)))]
        switch kind {
        case .login:
            responses += [
                .refusal(400, "`session_already_available` without `refresh`; or a parameter is refused."),
                .refusal(401, "`session_aal1_required`: a second factor was asked for without a session."),
            ]
        case .registration:
            responses.append(
                .refusal(
                    400,
                    "`self_service_flow_disabled`: registration, or that of this schema, is switched off; `session_already_available`; or a parameter is refused."
                )
            )
        case .settings:
            responses += [
                .refusal(401, "`session_inactive`: there is no session."),
                .refusal(403, "`device_certificate_required`."),
                .refusal(409, "The identity's schema has been taken away."),
            ]
        case .recovery, .verification:
            responses.append(.refusal(400, "The flow is switched off, or a parameter is refused."))
        }
        return APIOperation(
            "createNative\(name(kind))Flow",
            "Begins a flow of the kind \(kind.rawValue) for a native app.",
            credential: kind == .verification ? .none : .session(isRequired: kind == .settings),
            parameters: parameters,
            responses
        )
    }

    /// Describes the route that returns a flow.
    static func show(_ kind: FlowKind) -> APIOperation {
        var responses: [APIResponse] = [
            APIResponse(200, "The flow.", .component(.flow(kind))),
            .refusal(404, "There is no such flow."),
            .refusal(410, "`self_service_flow_expired`: its time is over."),
        ]
        if kind == .settings {
            responses += [
                .refusal(401, "`session_inactive`: there is no session."),
                .refusal(
                    403,
                    "`security_identity_mismatch`: it is another's; or `device_certificate_required`."
                ),
            ]
        }
        return APIOperation(
            "get\(name(kind))Flow",
            "Shows a flow of the kind \(kind.rawValue) as it is now.",
            credential: kind == .settings ? .session(isRequired: true) : .none,
            parameters: [.query("id", "The flow's id.", .uuid, isRequired: true)],
            responses
        )
    }

    /// Describes the route that accepts submissions to a flow.
    static func submit(_ kind: FlowKind) -> APIOperation {
        APIOperation(
            "update\(name(kind))Flow",
            "Submits to a flow of the kind \(kind.rawValue).",
            details: """
                The members of the body are the names of the form's nodes. A 400 that is a flow is no error: it is \
                the next step, or says beside its fields what is wrong with them. Requests with an `Origin` or with \
                cookies come from browsers, and are refused.
                """,
            credential: kind == .verification ? .none : .session(isRequired: kind == .settings),
            parameters: [.query("flow", "The flow's id.", .uuid, isRequired: true), .language],
            body: APIBody(
                schema: .component(.submission(kind)),
                mediaTypes: ["application/json", "application/x-www-form-urlencoded"]
            ),
            answers(to: kind) + [
                .refusal(404, "There is no such flow; or the method that was named is switched off here."),
                .tooManyRequests,
            ]
        )
    }

    private static func answers(to kind: FlowKind) -> [APIResponse] {
        let flow = JSONSchema.component(.flow(kind))
        let next = APIResponse(
            400,
            "The flow with what is asked for next or is wrong; or a refusal.",
            .either([flow, .error])
        )
        let over = APIResponse.refusal(410, "`self_service_flow_expired`: go on with `use_flow_id`.")
        switch kind {
        case .login:
            return [
                APIResponse(200, "A session was opened.", .component(.login)), next,
                .refusal(
                    403,
                    "`session_verified_address_required`: an address must be verified first (`continue_with`)."
                ), over,
            ]
        case .registration:
            return [APIResponse(200, "An identity was made.", .component(.registration)), next, over]
        case .settings:
            return [
                APIResponse(200, "The change is saved.", flow), next,
                .refusal(401, "`session_inactive`: there is no session."),
                .refusal(
                    403,
                    "`session_refresh_required`: log in again first; `security_identity_mismatch`: the flow is another's; or `device_certificate_required`."
                ),
                .refusal(409, "The identity's schema has been taken away."), over,
            ]
        case .recovery:
            return [
                APIResponse(
                    200,
                    "The flow: a code was sent, was wrong, or was right and opened a session (`continue_with`).",
                    flow
                ),
                next, over,
            ]
        case .verification:
            return [
                APIResponse(200, "The flow: a code was sent, was wrong, or was right.", flow),
                APIResponse(303, "The flow's time is over; a new one is there.", headers: [.location]), next,
                .refusal(410, "`self_service_flow_replaced`: go on with `use_flow_id`."),
            ]
        }
    }

    private static func name(_ kind: FlowKind) -> String {
        kind.rawValue.prefix(1).uppercased() + kind.rawValue.dropFirst()
    }
}
