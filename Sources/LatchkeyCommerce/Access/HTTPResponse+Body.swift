import LatchkeyServerKit
import LatchkeyWire

extension HTTP.Response {
    /// Creates a JSON response with an encodable body.
    static func json(_ status: Int, _ body: some Encodable) throws -> HTTP.Response {
        .json(status, body: try JSONCoding.encode(body))
    }
}
