public import LatchkeyWire

/// A request and its outcome with all secrets masked.
///
/// This is useful for inspecting the traffic during development.
///
/// Passwords, codes, tokens and keys are replaced with placeholders in JSON bodies, forms, paths, queries and
/// the `Location` header. Secrets are recognized by their names, for example if the name ends in `token`,
/// `password`, `code` or `key`. In paths, secrets are also recognized by their format. Phone numbers and
/// e-mail addresses are replaced as well, but users' names and other traits are shown. Header fields are only
/// shown if they are known to be harmless. Bodies of other media types are omitted. Bodies exchanged with
/// servers other than the identity server are also omitted, unless they are enabled in ``ExchangeRecorder``.
public struct RecordedExchange: Sendable {
    /// The scheme, host and port that the request was sent to.
    public let origin: String

    /// The request, with secrets masked.
    public let request: HTTP.Request

    /// The response with secrets masked, or the error if there was no response.
    public let outcome: Result<HTTP.Response, TransportError>

    /// Creates the record of an exchange, with all secrets masked.
    init(
        origin: String,
        request: HTTP.Request,
        outcome: Result<HTTP.Response, TransportError>,
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
            HTTP.Response(
                response.status,
                headers: Redaction.headers(response.headers),
                body: showsBodies
                    ? Redaction.body(response.body, of: response.headers) : Redaction.size(of: response.body)
            )
        }
    }
}
