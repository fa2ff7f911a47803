package import LatchkeyModel
import LatchkeyWire

extension RequestContext {
    /// Parses the request body as JSON of any type.
    ///
    /// - Parameter limit: The maximum size of the body in bytes.
    /// - Returns: The parsed JSON, which preserves the order of members.
    /// - Throws: ``ServerError`` with status 413 if the body is larger than the limit, or 400 if it is not
    ///   valid JSON.
    package func json(limit: Int) throws(ServerError) -> OrderedJSON {
        guard request.body.count <= limit else {
            throw ServerError(413, reason: "The request body is larger than \(limit) bytes.")
        }
        do {
            return try JSONParser.parse(request.body)
        } catch {
            throw .malformed(
                error.problem == .syntax
                    ? "The body is not valid JSON: error at byte \(error.offset)." : error.refusal
            )
        }
    }

    /// Returns the id in the path.
    ///
    /// - Parameter status: The status for a malformed id, which differs between Kratos's routes.
    /// - Returns: The id.
    /// - Throws: ``ServerError`` with that status if the path parameter is not a UUID.
    package func id(else status: Int = 404) throws(ServerError) -> Identifier {
        guard let id = Identifier(parameter) else {
            throw ServerError(status, reason: "The id in the path must be a UUID.")
        }
        return id
    }
}
