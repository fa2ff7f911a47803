package import LatchkeyWire

extension HTTP.Response {
    /// The value of `Content-Type` for a JSON body.
    package static let jsonType = "application/json; charset=utf-8"

    /// Creates a response with a JSON body and the content type ``jsonType``.
    ///
    /// The body must be valid JSON in UTF-8. This method doesn't validate it.
    package static func json(_ status: Int, body: [UInt8]) -> HTTP.Response {
        HTTP.Response(status, headers: ["Content-Type": jsonType], body: body)
    }
}
