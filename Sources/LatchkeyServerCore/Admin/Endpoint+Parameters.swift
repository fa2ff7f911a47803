import LatchkeyWire

extension Endpoint {
    /// The same endpoint, which refuses parameters of the query that it does not have: a misspelt filter that is ignored
    /// lists more than was asked for.
    var refusingUnknownParameters: Endpoint {
        let known = Set(operation.parameters.filter { $0.place == .query }.map(\.name))
        return Endpoint(method, path, below: root, operation) { [answer] exchange in
            if let name = exchange.query.names.first(where: { !known.contains($0) }) {
                throw ServerError.malformed("There is no parameter “\(name.prefix(64))” here.")
            }
            return try await answer(exchange)
        }
    }
}
