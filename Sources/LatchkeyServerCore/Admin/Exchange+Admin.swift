import LatchkeyModel
import LatchkeyWire

extension Exchange {
    /// The request's body, any JSON.
    ///
    /// - Throws: 413 for a larger body, 400 for one that is no JSON.
    func json(limit: Int) throws(ServerError) -> OrderedJSON {
        guard request.body.count <= limit else {
            throw ServerError(413, reason: "The body has more than \(limit) bytes.")
        }
        do {
            return try JSONParser.parse(request.body)
        } catch {
            throw .malformed(
                error.problem == .syntax
                    ? "The body is no JSON from byte \(error.offset) on." : error.refusal
            )
        }
    }

    /// The id in the path.
    ///
    /// - Parameter status: What a text that is no id is answered with: Kratos differs from route to route.
    /// - Returns: The id.
    /// - Throws: That status.
    func id(else status: Int = 404) throws(ServerError) -> Identifier {
        guard let id = Identifier(parameter) else {
            throw ServerError(status, reason: "The id in the path is no UUID.")
        }
        return id
    }
}
