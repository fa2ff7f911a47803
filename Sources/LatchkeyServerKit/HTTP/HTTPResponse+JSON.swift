package import LatchkeyWire

extension HTTP.Response {
    /// Creates a response with a JSON body and the content type `application/json; charset=utf-8`.
    ///
    /// The body must be valid JSON in UTF-8. This method doesn't validate it.
    package static func json(_ status: Int, body: [UInt8]) -> HTTP.Response {
        HTTP.Response(status, headers: ["Content-Type": "application/json; charset=utf-8"], body: body)
    }
}
