public import LatchkeyWire

/// A request and its outcome, without secrets: for developers who look at their traffic.
///
/// Passwords, codes, tokens and keys are replaced by a mark in JSON bodies, forms, paths, queries and the header
/// `Location`. They are recognised by their names (such as everything that ends in `token`, `password`, `code` or `key`), in
/// paths also by their form. Phone numbers and e-mail addresses are replaced, too; names of persons and other traits are
/// shown. Of the header fields, those are shown that are known to be harmless. Bodies of other media types are left out, and
/// so are those of origins other than the identity server's, unless ``ExchangeOptions`` says otherwise.
public struct Exchange: Sendable {
    /// Where the request went: scheme, host and port.
    public let origin: String

    /// The request.
    public let request: HTTPRequest

    /// The answer, or why there is none.
    public let outcome: Result<HTTPResponse, TransportError>

    init(
        origin: String,
        request: HTTPRequest,
        outcome: Result<HTTPResponse, TransportError>,
        showsBodies: Bool
    ) {
        self.origin = origin
        var shown = request
        shown.path = Redaction.path(request.path)
        shown.query = request.query.map(Redaction.query)
        shown.headers = Redaction.headers(request.headers)
        shown.body =
            showsBodies ? Redaction.body(request.body, of: request.headers) : Redaction.size(of: request.body)
        self.request = shown
        self.outcome = outcome.map { response in
            HTTPResponse(
                response.status,
                headers: Redaction.headers(response.headers),
                body: showsBodies
                    ? Redaction.body(response.body, of: response.headers) : Redaction.size(of: response.body)
            )
        }
    }
}
