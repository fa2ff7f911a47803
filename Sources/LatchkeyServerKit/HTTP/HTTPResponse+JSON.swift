package import LatchkeyWire

extension HTTP.Response {
    /// Creates a response with a JSON body, as `application/json; charset=utf-8`.
    ///
    /// The body must be JSON in UTF-8, but is not validated.
    package static func json(_ status: Int, body: [UInt8]) -> HTTP.Response {
        HTTP.Response(status, headers: ["Content-Type": "application/json; charset=utf-8"], body: body)
    }
}
