import LatchkeyModel
import LatchkeyWire

/// Decodes error responses from the identity server.
extension ServerRefusal {
    /// Decodes a response that rejects a request.
    ///
    /// Returns `nil` if the response doesn't have the identity server's format, which is either an error object or
    /// a flow.
    ///
    /// `Retry-After` is limited to one day.
    ///
    /// - Parameters:
    ///   - answer: The response.
    ///   - route: The route that the request was for, which affects whether a 401 response ends the session.
    init?(decoding answer: HTTP.Response, from route: SessionRoute = .other) {
        guard answer.status >= 400, let json = answer.json, Self.isFormat(json) else { return nil }
        self.init(
            status: answer.status,
            id: json["error"]?["id"]?.text,
            reason: json["error"]?["reason"]?.text ?? json["error"]?["message"]?.text,
            retryAfter: answer.retryAfter,
            replacementFlow: json["use_flow_id"]?.text
        )
        endsSession = status == 401 && Self.deniesSession(json["error"], from: route)
        duty = Self.duty(status: status, in: json["error"])
        read(json["ui"])
    }

    /// Returns whether a body is an error object or a flow.
    ///
    /// Gateways also send `error` objects, for example with a name such as `NOT_FOUND` as the status.
    private static func isFormat(_ json: JSONValue) -> Bool {
        if json["ui"]?.object != nil { return true }
        guard let error = json["error"] else { return false }
        if error["id"]?.text?.isEmpty == false { return true }
        return error["code"]?.integer != nil && error["status"]?.text?.contains { $0.isLowercase } == true
    }

    /// Returns whether an error object states that the session doesn't exist.
    ///
    /// Gateways and captive portals also respond with 401, and some of them send an `error` object. In Ory
    /// Kratos, only `whoami` reports a missing session without an error id, and it always includes the code
    /// and the status.
    private static func deniesSession(_ error: JSONValue?, from route: SessionRoute) -> Bool {
        if let id = error?["id"]?.text { return id == ErrorID.sessionInactive.rawValue }
        return route == .whoami && error?["code"] == .integer(401) && error?["status"]?.text == "Unauthorized"
    }

    /// Returns the duty that an error object requires.
    private static func duty(status: Int, in error: JSONValue?) -> Duty.Kind? {
        guard status == 403, let id = error?["id"]?.text else { return nil }
        return switch ErrorID(rawValue: id) {
        case .dutyRequired: error?["duty"]?.text.map { Duty.Kind(rawValue: $0) }
        case .sessionRefreshRequired, .anotherProofRequired: .reauthenticate
        default: nil
        }
    }

    /// Returns a copy in which the given secrets are masked, in case the server echoed them.
    func without(_ secrets: [Secret]) -> ServerRefusal {
        var refusal = self
        for secret in secrets where !secret.exposed.isEmpty {
            refusal.reason = refusal.reason?.replacing(secret.exposed, with: secret.description)
            refusal.fields = refusal.fields.map { field in
                LatchkeyError.Field(
                    name: field.name,
                    message: field.message.replacing(secret.exposed, with: secret.description)
                )
            }
        }
        return refusal
    }

    /// Reads the messages of a flow, except those of type `info`.
    private mutating func read(_ ui: JSONValue?) {
        for message in (ui?["messages"]).elements where message["type"]?.text != "info" {
            note(message)
            reason = reason ?? message["text"]?.text
        }
        for node in (ui?["nodes"]).elements {
            guard let name = node["attributes"]?["name"]?.text else { continue }
            for message in (node["messages"]).elements where message["type"]?.text != "info" {
                note(message)
                fields.append(LatchkeyError.Field(name: name, message: message["text"]?.text ?? ""))
            }
        }
    }

    /// Adds a message's id to ``messageIDs``.
    private mutating func note(_ message: JSONValue) {
        if case .integer(let id) = message["id"], let id = Int(exactly: id) { messageIDs.append(id) }
    }
}

extension JSONValue? {
    /// The elements of an array, or an empty list if this isn't an array.
    fileprivate var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }
}

extension HTTP.Response {
    /// The time in `Retry-After`, up to one day, or `nil` if there is none.
    var retryAfter: Duration? {
        retryAfter(at: SystemTime().now).map { min($0, .seconds(86_400)) }
    }
}

extension UnrecognizedResponse {
    init(_ response: HTTP.Response) {
        self.init(status: response.status, retryAfter: response.retryAfter)
    }
}
