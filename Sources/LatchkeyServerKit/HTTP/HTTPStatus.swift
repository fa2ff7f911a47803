/// A status code, with the phrase and explanation that the error envelope uses for it.
package struct HTTPStatus {
    private let code: Int

    /// Creates a status from any status code.
    package init(_ code: Int) {
        self.code = code
    }

    /// The reason phrase from RFC 9110, section 15, or "Error" for an unknown code.
    var phrase: String {
        Self.words[code]?.phrase ?? "Error"
    }

    /// A general explanation of the status, used as the `message` in the error envelope.
    package var explanation: String {
        Self.words[code]?.explanation ?? "The request could not be processed."
    }

    private static let words: [Int: (phrase: String, explanation: String)] = [
        400: ("Bad Request", "The request was malformed or contained invalid parameters."),
        401: ("Unauthorized", "The request requires valid credentials."),
        403: ("Forbidden", "The request is not permitted."),
        404: ("Not Found", "The requested resource could not be found."),
        405: ("Method Not Allowed", "The requested resource does not support this method."),
        408: ("Request Timeout", "The request took too long to arrive."),
        409: ("Conflict", "The request conflicts with the current state of the resource."),
        410: ("Gone", "The requested resource is no longer available."),
        413: ("Content Too Large", "The request body is too large."),
        414: ("URI Too Long", "The request target is too long."),
        415: ("Unsupported Media Type", "The media type of the request body is not supported."),
        417: ("Expectation Failed", "The server does not support the Expect header of the request."),
        429: ("Too Many Requests", "Too many requests were sent."),
        431: ("Request Header Fields Too Large", "The request header fields are too large."),
        500: ("Internal Server Error", "An internal server error occurred and was logged."),
        501: ("Not Implemented", "The server does not support this request."),
        502: ("Bad Gateway", "An upstream service rejected the request."),
        503: ("Service Unavailable", "The server is temporarily unable to process the request."),
    ]
}
