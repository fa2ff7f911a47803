package import LatchkeyWire

extension HTTPResponse {
    /// A response whose body is JSON.
    package static func json(_ status: Int, _ body: [UInt8]) -> HTTPResponse {
        HTTPResponse(status, headers: ["Content-Type": "application/json; charset=utf-8"], body: body)
    }
}
