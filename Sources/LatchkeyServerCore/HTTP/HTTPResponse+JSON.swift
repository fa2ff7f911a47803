package import LatchkeyWire

extension HTTPResponse {
    /// Creates a response with a JSON body, as `application/json; charset=utf-8`.
    package static func json(_ status: Int, body: [UInt8]) -> HTTPResponse {
        HTTPResponse(status, headers: ["Content-Type": "application/json; charset=utf-8"], body: body)
    }
}
