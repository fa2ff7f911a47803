import LatchkeyWire

extension Exchange {
    /// Reads the request's body, a JSON object of a known shape; members that nobody knows are passed over.
    ///
    /// - Parameters:
    ///   - type: The shape.
    ///   - limit: The most bytes that make sense here.
    /// - Returns: The body.
    /// - Throws: 413 for a larger body, 400 with the place for one of another shape.
    package func body<Body: Decodable>(_ type: Body.Type, limit: Int) throws(ServerError) -> Body {
        guard request.body.count <= limit else {
            throw ServerError(413, reason: "The body has more than \(limit) bytes.")
        }
        do {
            // First as strictly as everywhere: the general decoder takes what others understand differently.
            _ = try JSONParser.parse(request.body)
            return try JSONCoding.decode(type, from: request.body)
        } catch let error as JSONParser.Failure {
            throw .malformed(error.refusal)
        } catch let error as DecodingError {
            throw .malformed(Self.reason(error))
        } catch {
            throw .malformed("The body is no JSON.")
        }
    }

    /// Refuses requests that a web page can have its visitors send without asking the server first.
    ///
    /// - Throws: 400 for a request of a browser, and for a body that is not declared as JSON.
    package func requireNativeJSON() throws(ServerError) {
        if let reason = BrowserRequest.reason(for: request) { throw .malformed(reason) }
        guard request.mediaType == "application/json" else {
            throw .malformed("The Content-Type is not application/json.")
        }
    }

    private static func reason(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context):
            "The body lacks the member \(place(context.codingPath + [key]))."
        case .valueNotFound(_, let context):
            "The member \(place(context.codingPath)) of the body is null."
        case .typeMismatch(_, let context) where context.codingPath.isEmpty:
            "The body is no JSON object."
        case .typeMismatch(_, let context):
            "The member \(place(context.codingPath)) of the body has another type than expected."
        default:
            "The body is no JSON."
        }
    }

    // Only names that the code asks for come up here, so nothing of the request is quoted.
    private static func place(_ path: [any CodingKey]) -> String {
        path.map(\.stringValue).joined(separator: ".")
    }
}
