import LatchkeyWire

extension Endpoint {
    /// A copy of the endpoint that rejects unknown query parameters with status 400.
    ///
    /// If we ignored a misspelled filter, a list would contain more than the operator asked for. The known
    /// parameters are listed in the endpoint's OpenAPI description.
    package var refusingUnknownParameters: Endpoint {
        let known = Set(operation.parameters.filter { $0.place == .query }.map(\.name))
        return Endpoint(method, path, below: root, accepts: credentials, operation: operation) {
            [answer] context in
            if let name = context.query.names.first(where: { !known.contains($0) }) {
                throw ServerError.malformed("Unknown query parameter “\(name.prefix(64))”.")
            }
            return try await answer(context)
        }
    }
}
