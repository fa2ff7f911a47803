package import LatchkeyWire

/// What was submitted to a flow, as an object.
package struct Submission: Sendable {
    /// Why it cannot be taken, in a sentence.
    package struct Refusal: Error, Sendable {
        package let reason: String
    }

    /// The object; its members are judged by each flow.
    package let body: OrderedJSON

    /// The method that was named; nothing for none, and for what is no text.
    package var method: String? {
        if case .string(let method)? = body["method"], !method.isEmpty { method } else { nil }
    }

    /// Whether another code is asked for in place of the one that was sent.
    package var asksForAnotherCode: Bool { optionalText("resend") != nil }

    /// A text that may be missing; what is no text is missing too.
    package func optionalText(_ name: String) -> String? {
        if case .string(let text)? = body[name], !text.isEmpty { text } else { nil }
    }

    /// A text that must be there; says in the form when it is not.
    package func text(_ name: String, into form: inout Form) -> String? {
        switch body[name] {
        case .string(let text)? where !text.isEmpty: return text
        case nil, .string?, .null?: form.refuse(name, .missing(name))
        case let value?: form.refuse(name, .wrongType(value.unordered, expected: "string"))
        }
        return nil
    }

    /// Reads a request as a native app sends it: JSON, or a form.
    package static func read(_ request: HTTPRequest, _ schema: IdentitySchema) -> Result<Submission, Refusal>
    {
        if request.headers["Origin"] != nil {
            return refuse("Requests with an Origin header come from browsers; this flow is for native apps.")
        }
        if !request.headers.all("Cookie").allSatisfy(isFromProxy) {
            return refuse("Requests with cookies come from browsers; this flow is for native apps.")
        }
        guard !request.body.isEmpty else { return .success(Submission(body: .object([]))) }
        switch mediaType(request) {
        case "application/json":
            do {
                let body = try JSONParser.parse(request.body)
                guard case .object = body else { return refuse("The body is no JSON object.") }
                return .success(Submission(body: body))
            } catch {
                return refuse(error.isNull ? error.description : "The body is no JSON.")
            }
        case "application/x-www-form-urlencoded":
            guard !NullCharacter.occurs(in: request.body) else {
                return refuse("The body holds the character U+0000, which is not taken here.")
            }
            let items = QueryItems(String(decoding: request.body, as: UTF8.self))
            return .success(Submission(body: FormEncoding.decode(items, schema)))
        default:
            return refuse(
                "The Content-Type is neither application/json nor application/x-www-form-urlencoded."
            )
        }
    }

    private static func refuse(_ reason: String) -> Result<Submission, Refusal> {
        .failure(Refusal(reason: reason))
    }

    private static func mediaType(_ request: HTTPRequest) -> String {
        var type = (request.headers["Content-Type"] ?? "").prefix { $0 != ";" }
        while type.last == " " { type.removeLast() }
        return type.lowercased()
    }

    /// Whether all cookies are those that Cloudflare's proxies add to requests of any origin.
    private static func isFromProxy(_ field: String) -> Bool {
        field.split(separator: ";").allSatisfy { cookie in
            let name = cookie.drop { $0 == " " }.prefix { $0 != "=" }
            return name.hasPrefix("__cf") || name.hasPrefix("_cf") || name.hasPrefix("cf_")
        }
    }
}
