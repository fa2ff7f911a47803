package import LatchkeyWire

extension HTTP.Response {
    /// The value of `Content-Type` for a JSON body.
    package static let jsonType = "application/json; charset=utf-8"

    /// Creates a response with a JSON body and the content type ``jsonType``.
    ///
    /// The body must be valid JSON in UTF-8. This method doesn't validate it.
    package static func json(_ status: Int, body: [UInt8]) -> HTTP.Response {
        var response = HTTP.Response(status, body: body)
        // The server adds more fields, for which the array would be copied several times.
        response.headers.fields.reserveCapacity(8)
        response.headers.fields.append(HTTP.Headers.Field(name: "Content-Type", value: jsonType))
        return response
    }
}
