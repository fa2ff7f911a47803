package import LatchkeyModel
package import LatchkeyWire

/// The decoded response to a submission.
///
/// If the response contains a session, it hasn't been stored yet.
package enum FlowReply: Sendable {
    /// The flow, which is either complete or waiting for more input.
    case flow(Flow, next: [FlowContinuation])

    /// The user logged in or registered, and the server created a session.
    case authenticated(Authentication, next: [FlowContinuation])

    /// The user recovered the account, and the server created a session with this token.
    case recovered(Secret, next: [FlowContinuation])

    /// Any other outcome. The response contains neither a session nor a flow.
    case other(FlowOutcome)

    /// Decodes a response.
    ///
    /// A flow with status 400 is a valid response. Kratos uses this status for logins and registrations that
    /// require another step, and for any flow whose input was rejected.
    ///
    /// - Parameters:
    ///   - answer: The response.
    ///   - kind: The kind of flow that was submitted.
    ///   - readPath: The path for fetching flows of this kind. Redirects to other paths aren't accepted.
    ///   - secrets: The passwords and codes in the request, which are masked in errors and messages.
    /// - Throws: ``LatchkeyError`` if the server rejected the submission or the response is malformed.
    package init(
        decoding answer: HTTP.Response,
        of kind: Flow.Kind,
        readPath: String,
        secrets: [Secret] = []
    ) throws(LatchkeyError) {
        let json = answer.json
        if json == nil, (200..<300).contains(answer.status) { throw .unexpected(answer) }
        let next = FlowContinuation.steps(decoding: json?["continue_with"])
        switch answer.status {
        case 200 where json?["session_token"]?.text != nil:
            guard let authentication = Authentication(decoding: json, headers: answer.headers) else {
                throw .incompleteAnswer
            }
            self = .authenticated(authentication, next: next)
        case 200 where json?["ui"] == nil && kind == .registration && json?["identity"]?.object != nil:
            self = .other(.registered(next: next))
        case 200,
            400 where json?["ui"] != nil:
            let flow = try Flow(decoding: json, of: kind).without(secrets)
            if answer.status == 200, kind == .recovery, let token = Self.sessionToken(in: json) {
                self = .recovered(token, next: next)
            } else {
                self = .flow(flow, next: next)
            }
        default:
            guard let outcome = Self.outcome(of: answer, json: json, of: kind, readPath: readPath) else {
                throw LatchkeyError(rejection: answer, hiding: secrets)
            }
            self = .other(outcome)
        }
    }

    /// Returns the outcome that a status stands for, or `nil` if the status indicates an error.
    private static func outcome(
        of answer: HTTP.Response,
        json: JSONValue?,
        of kind: Flow.Kind,
        readPath: String
    ) -> FlowOutcome? {
        let error = json?["error"]
        let id = error?["id"]?.text.map { ErrorID(rawValue: $0) }
        let details = FlowContinuation.steps(decoding: error?["details"]?["continue_with"])
        switch answer.status {
        case 303:
            guard let location = answer.headers["Location"] else { return nil }
            return replacement(in: location, readPath: readPath).map { .replaced(by: $0) }
        case 400 where kind == .recovery:
            guard case .recovery(let flow)? = details.first else { return nil }
            return .replaced(by: flow)
        case 403 where id == .sessionRefreshRequired: return .reauthenticationRequired
        case 403 where id == .verifiedAddressRequired: return .addressVerificationRequired(next: details)
        case 410:
            guard let flow = json?["use_flow_id"]?.text, !flow.isEmpty else { return nil }
            return .replaced(by: flow)
        case 422:
            guard let text = json?["redirect_browser_to"]?.text, let address = WebAddress(text),
                address.isConfidential
            else { return nil }
            return .browserRequired(address: text)
        default: return nil
        }
    }

    /// Returns the session token that Kratos includes in `continue_with` after a recovery.
    private static func sessionToken(in json: JSONValue?) -> Secret? {
        for step in json?["continue_with"]?.array ?? []
        where step["action"]?.text == "set_ory_session_token" {
            if let token = step["ory_session_token"]?.text, !token.isEmpty { return Secret(token) }
        }
        return nil
    }

    /// Returns the id of the replacement flow from a redirect.
    ///
    /// Only the id is used, because the client doesn't follow redirects.
    private static func replacement(in location: String, readPath: String) -> String? {
        guard let mark = location.firstIndex(of: "?") else { return nil }
        let address = location[..<mark]
        let path = WebAddress(String(address))?.path ?? String(address)
        guard path == readPath, let id = QueryItems(String(location[location.index(after: mark)...]))["id"],
            !id.isEmpty
        else { return nil }
        return id
    }
}
