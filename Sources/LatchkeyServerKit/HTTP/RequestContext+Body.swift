import LatchkeyWire

extension RequestContext {
    /// Decodes the body of the request, a JSON object of a known type, and ignores unknown members.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - limit: The maximum size of the body, in bytes.
    /// - Returns: The decoded body.
    /// - Throws: ``ServerError`` with status 413 if the body is larger than the limit, or 400 with the name
    ///   of the invalid member if the body does not match the type.
    package func body<Body: Decodable>(_ type: Body.Type, limit: Int) throws(ServerError) -> Body {
        guard request.body.count <= limit else {
            throw ServerError(413, reason: "The request body is larger than \(limit) bytes.")
        }
        do {
            // The strict parser runs first, because the general decoder accepts input that other parsers read
            // differently.
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

    /// Rejects requests that a web page can send on behalf of its visitors without a CORS preflight.
    ///
    /// - Throws: A 400 for a request from a browser, or for a body whose `Content-Type` is not JSON.
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

    // The path consists of names defined in the code, so the error quotes no part of the request.
    private static func place(_ path: [any CodingKey]) -> String {
        path.map(\.stringValue).joined(separator: ".")
    }
}
