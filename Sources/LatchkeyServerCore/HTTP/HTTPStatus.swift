/// A status code with its texts for the error envelope.
struct HTTPStatus {
    private let code: Int

    init(_ code: Int) {
        self.code = code
    }

    /// The reason phrase of RFC 9110, section 15; "Error" for codes without one here.
    var phrase: String {
        Self.words[code]?.phrase ?? "Error"
    }

    /// The general meaning of the status, which is the `message` of the error envelope.
    var explanation: String {
        Self.words[code]?.explanation ?? "The request could not be answered."
    }

    private static let words: [Int: (phrase: String, explanation: String)] = [
        400: ("Bad Request", "The request cannot be understood or is not allowed in this form."),
        401: ("Unauthorized", "The request needs a session that is alive."),
        403: ("Forbidden", "The request is not allowed."),
        404: ("Not Found", "There is nothing at this place."),
        405: ("Method Not Allowed", "This place does not take this method."),
        408: ("Request Timeout", "The request took too long to arrive."),
        409: ("Conflict", "The request does not fit what is there already."),
        410: ("Gone", "What the request refers to is over."),
        413: ("Content Too Large", "The request's body is too large."),
        414: ("URI Too Long", "The request's target is too long."),
        415: ("Unsupported Media Type", "The request's body has a form that is not understood here."),
        417: ("Expectation Failed", "The request expects something that the server does not do."),
        429: ("Too Many Requests", "There were too many requests of this kind."),
        431: ("Request Header Fields Too Large", "The request's header is too large."),
        500: ("Internal Server Error", "The server made a mistake; it has been noted."),
        501: ("Not Implemented", "The server does not do this."),
        502: ("Bad Gateway", "A service behind the server refused."),
        503: ("Service Unavailable", "The server cannot answer at the moment."),
    ]
}
