import LatchkeyWire

extension RequestContext {
    /// Decodes the request body as a JSON object of a known type.
    ///
    /// Unknown members are ignored.
    ///
    /// - Parameters:
    ///   - type: The type to decode the body as.
    ///   - limit: The maximum size of the body, in bytes.
    /// - Returns: The decoded body.
    /// - Throws: ``ServerError``. The status is 413 if the body is larger than the limit, or 400 if the body
    ///   doesn't match the type. If the body doesn't match, the error names the invalid member.
    package func body<Body: Decodable>(_ type: Body.Type, limit: Int) throws(ServerError) -> Body {
        guard request.body.count <= limit else {
            throw ServerError(413, reason: "The request body is larger than \(limit) bytes.")
        }
        do {
            // We run the strict parser first because the general decoder accepts input that other parsers
            // interpret differently.
            _ = try JSONParser.parse(request.body)
            return try JSONCoding.decode(type, from: request.body)
        } catch let error as JSONParser.Failure {
            throw .malformed(error.refusal)
        } catch let error as DecodingError {
            throw .malformed(Self.reason(error))
        } catch {
            throw .malformed("The body is not valid JSON.")
        }
    }

    /// Rejects requests that a web page could send on behalf of its visitors without a CORS preflight.
    ///
    /// - Throws: A 400 error if the request comes from a browser, or if its `Content-Type` isn't JSON.
    package func requireNativeJSON() throws(ServerError) {
        if let reason = BrowserRequest.reason(for: request) { throw .malformed(reason) }
        guard request.mediaType == "application/json" else {
            throw .malformed("The Content-Type must be application/json.")
        }
    }

    private static func reason(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context):
            "The body is missing the member \(place(context.codingPath + [key]))."
        case .valueNotFound(_, let context):
            "The member \(place(context.codingPath)) of the body must not be null."
        case .typeMismatch(_, let context) where context.codingPath.isEmpty:
            "The body must be a JSON object."
        case .typeMismatch(_, let context):
            "The member \(place(context.codingPath)) of the body has the wrong type."
        default:
            "The body is not valid JSON."
        }
    }

    // The coding path only contains names that are defined in our code, so the error doesn't quote any part
    // of the request.
    private static func place(_ path: [any CodingKey]) -> String {
        path.map(\.stringValue).joined(separator: ".")
    }
}
