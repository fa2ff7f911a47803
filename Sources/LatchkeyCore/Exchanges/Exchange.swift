public import LatchkeyWire

/// A request and what came of it, without secrets: for people who look at their traffic.
///
/// Passwords, codes, tokens and cookies are replaced by a mark, wherever they stand in headers and JSON bodies.
/// A body that is no JSON is left out.
public struct Exchange: Sendable {
    /// Where the request went: scheme, host and port.
    public let origin: String

    /// The request.
    public let request: HTTPRequest

    /// The answer, or why there is none.
    public let outcome: Result<HTTPResponse, TransportError>

    init(origin: String, request: HTTPRequest, outcome: Result<HTTPResponse, TransportError>) {
        self.origin = origin
        var request = request
        request.headers = Redaction.headers(request.headers)
        request.query = Redaction.query(request.query)
        request.body = Redaction.body(request.body)
        self.request = request
        self.outcome = outcome.map { response in
            HTTPResponse(
                response.status,
                headers: Redaction.headers(response.headers),
                body: Redaction.body(response.body)
            )
        }
    }
}
