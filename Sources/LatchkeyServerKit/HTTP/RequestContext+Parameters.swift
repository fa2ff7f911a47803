package import LatchkeyModel
import LatchkeyWire

extension RequestContext {
    /// Parses the request body as any JSON value.
    ///
    /// - Parameter limit: The maximum size of the body, in bytes.
    /// - Returns: The parsed JSON. The order of object members is preserved.
    /// - Throws: ``ServerError``. The status is 413 if the body is larger than the limit, or 400 if it isn't
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

    /// Returns the id from the request path.
    ///
    /// - Parameter status: The status to use if the id is malformed. Kratos uses different statuses for
    ///   different routes.
    /// - Returns: The parsed id.
    /// - Throws: ``ServerError`` with the given status if the path parameter isn't a UUID.
    package func id(else status: Int = 404) throws(ServerError) -> Identifier {
        guard let id = Identifier(parameter) else {
            throw ServerError(status, reason: "The id in the path must be a UUID.")
        }
        return id
    }
}
