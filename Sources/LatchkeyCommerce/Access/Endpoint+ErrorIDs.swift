import LatchkeyServerKit
import LatchkeyWire

extension Endpoint {
    /// Returns the endpoint with an id in every error about the request, so that clients can tell the error from that
    /// of a gateway.
    func identifyingErrors() -> Endpoint {
        Endpoint(method, path, below: root, accepts: credentials, operation: operation) { [answer] context in
            do {
                return try await answer(context)
            } catch let error as ServerError where error.id == nil {
                throw error.identified
            }
        }
    }
}

extension ServerError {
    /// The error with an id that corresponds to its status.
    fileprivate var identified: ServerError {
        let id: ErrorID? =
            switch status {
            case 400, 413: .requestInvalid
            case 404: .notFound
            default: nil
            }
        guard let id else { return self }
        return ServerError(status, id: id, code: code, reason: reason, headers: headers)
    }
}
