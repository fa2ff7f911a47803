package import LatchkeyModel
package import LatchkeyWire

/// A successful response that has the format of the identity server's route, as opposed to one of a proxy, a gateway
/// or a captive portal.
///
/// Together with ``ServerRefusal``, this is the only evidence of what the server has done. Every other response
/// leaves that open, whatever its status.
package struct ServerAnswer<Body: AnswerBody>: Sendable {
    /// The body, or `null` if the route's responses have an empty one.
    package let json: JSONValue
    /// The header fields of the response.
    package let headers: HTTP.Headers

    /// Accepts a response that has the format of `Body`.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - route: The route of the request, which affects whether a 401 response ends the session.
    ///   - secrets: The secrets in the request, which are masked in errors in case the server echoed them.
    /// - Throws: ``LatchkeyError``. The cause is a ``ServerRefusal`` only if the identity server rejected the
    ///   request.
    package init(
        _ response: HTTP.Response,
        to route: SessionRoute = .other,
        hiding secrets: [Secret] = []
    ) throws(LatchkeyError) {
        guard Body.statuses.contains(response.status) else {
            throw LatchkeyError(rejection: response, of: route, hiding: secrets)
        }
        guard Body.isEmpty ? response.body.isEmpty : response.json != nil else {
            throw .unexpected(response)
        }
        json = response.json ?? .null
        headers = response.headers
    }

    /// Returns a decoded value.
    ///
    /// - Throws: ``LatchkeyError/Code/invalidResponse`` if the value is `nil`.
    package func value<Value>(_ decoded: Value?) throws(LatchkeyError) -> Value {
        guard let decoded else { throw .incompleteAnswer }
        return decoded
    }
}

extension ServerAnswer where Body: Decodable {
    /// Decodes the body of a response that has the format of `Body`.
    ///
    /// - Throws: The errors of ``init(_:to:hiding:)``, or ``LatchkeyError/Code/invalidResponse`` if a member is missing
    ///   or has another type.
    package static func body(of response: HTTP.Response) throws(LatchkeyError) -> Body {
        try ServerAnswer(response).value(response.decoded(as: Body.self))
    }
}

extension JSONValue {
    /// Returns the decoded elements of an array.
    ///
    /// - Throws: ``LatchkeyError/Code/invalidResponse`` if this isn't an array, or if an element can't be decoded.
    package func elements<Element>(_ decode: (JSONValue) -> Element?) throws(LatchkeyError) -> [Element] {
        guard let array else { throw .incompleteAnswer }
        var elements: [Element] = []
        for json in array {
            guard let element = decode(json) else { throw .incompleteAnswer }
            elements.append(element)
        }
        return elements
    }
}

extension HTTP.Response {
    /// The body decoded as JSON, or `nil` if the media type isn't `application/json` or the body isn't valid.
    var json: JSONValue? { decoded(as: JSONValue.self) }

    /// Returns the body decoded as a JSON value of the given type.
    ///
    /// Returns `nil` if the media type isn't `application/json`, or if the body can't be decoded.
    func decoded<Value: Decodable>(as type: Value.Type) -> Value? {
        isJSON ? try? JSONCoding.decode(type, from: body) : nil
    }

    /// Whether the media type is `application/json`.
    var isJSON: Bool { mediaType.equalsIgnoringASCIICase("application/json") }

    /// The media type without its parameters, or an empty string if the response has none.
    var mediaType: String {
        let type = headers["Content-Type"]?.prefix { $0 != ";" } ?? ""
        return String(type.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}

extension LatchkeyError {
    /// Creates an error for a response that doesn't have the format of a successful one.
    init(rejection response: HTTP.Response, of route: SessionRoute = .other, hiding secrets: [Secret] = []) {
        if (200..<300).contains(response.status) {
            self = .unexpected(response)
        } else if let refusal = ServerRefusal(decoding: response, from: route) {
            self.init(refusal: refusal.without(secrets))
        } else {
            self.init(unrecognized: UnrecognizedResponse(response))
        }
    }

    /// Returns an error for a successful response that doesn't have the format of the route.
    static func unexpected(_ response: HTTP.Response) -> LatchkeyError {
        LatchkeyError(unrecognized: UnrecognizedResponse(response))
    }

    /// An error for a response whose body lacks required members.
    package static var incompleteAnswer: LatchkeyError {
        LatchkeyError(.invalidResponse, message: "The server's response is incomplete.", retry: .later)
    }

    private init(unrecognized response: UnrecognizedResponse) {
        let code: Code =
            switch response.status {
            case 429: .tooManyRequests
            case 500...: .serverFailed
            default: .invalidResponse
            }
        self.init(
            code,
            message: "\(response)",
            retry: response.retryAfter.map { .after($0) } ?? .later,
            cause: response
        )
    }
}
