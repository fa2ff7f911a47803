public import LatchkeyWire

/// A request and its outcome with secrets masked, for developers who inspect their traffic.
///
/// In JSON bodies, forms, paths, queries and the `Location` header, passwords, codes, tokens and keys are
/// replaced with a placeholder. They are recognized by their names (such as names that end in `token`,
/// `password`, `code` or `key`), and in paths also by their format. Phone numbers and e-mail addresses are
/// replaced, too; users' names and other traits are shown. Only header fields that are known to be harmless
/// are shown. Bodies of other media types are omitted. Bodies exchanged with origins other than the identity
/// server's are also omitted, unless ``RecordingOptions`` includes them.
public struct RecordedExchange: Sendable {
    /// The origin of the request: scheme, host and port.
    public let origin: String

    /// The request, with secrets masked.
    public let request: HTTP.Request

    /// The response, with secrets masked, or the error if no response was received.
    public let outcome: Result<HTTP.Response, TransportError>

    /// Creates an exchange with the secrets in its parts masked.
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
