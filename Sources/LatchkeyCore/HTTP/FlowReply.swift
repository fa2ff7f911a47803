package import LatchkeyModel
package import LatchkeyWire

/// The response to a submission to a flow, before a session that it issues is stored.
package enum FlowReply: Sendable {
    /// The flow, which waits for input or is completed.
    case flow(Flow, next: [FlowContinuation])

    /// A login or registration opened a session.
    case authenticated(Authentication, next: [FlowContinuation])

    /// A recovery opened the session that this token identifies.
    case recovered(Secret, next: [FlowContinuation])

    /// An outcome that opens no session and has no flow.
    case other(FlowOutcome)

    /// Decodes a response.
    ///
    /// A flow with status 400 is a valid response: Kratos's logins and registrations respond like this when a
    /// step is missing, and all flows do when the input was rejected.
    ///
    /// - Parameters:
    ///   - answer: The response.
    ///   - kind: The kind of flow that was submitted.
    ///   - readPath: The path at which the server returns flows of this kind; redirects to other paths are
    ///     not accepted.
    ///   - secrets: The passwords and codes in the request, which are masked in errors and messages.
    /// - Throws: ``LatchkeyError`` for any other response.
    package init(
        decoding answer: HTTP.Response,
        of kind: Flow.Kind,
        readPath: String,
        secrets: [Secret] = []
    ) throws(LatchkeyError) {
        let json = answer.json
        let next = FlowContinuation.steps(decoding: json?["continue_with"])
        switch answer.status {
        case 200 where json?["session_token"]?.text != nil:
            guard let authentication = Authentication(decoding: answer) else { throw .unexpected(answer) }
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
                throw LatchkeyError(refusal: ServerRefusal(decoding: answer).without(secrets))
            }
            self = .other(outcome)
        }
    }

    /// Returns the outcome that a status other than that of a flow stands for; `nil` if it is an error.
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

    /// Returns the session token that a recovery passes in `continue_with`.
    private static func sessionToken(in json: JSONValue?) -> Secret? {
        for step in json?["continue_with"]?.array ?? []
        where step["action"]?.text == "set_ory_session_token" {
            if let token = step["ory_session_token"]?.text, !token.isEmpty { return Secret(token) }
        }
        return nil
    }

    /// Returns the id in a redirect to the flow that replaces another one.
    ///
    /// Only the id is used: the client does not follow redirects.
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
