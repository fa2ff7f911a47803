import LatchkeyModel
package import LatchkeyWire

extension ServerError {
    /// The error envelope as a response, with the request's own id in it.
    package func response(echoing request: String?) -> HTTPResponse {
        let status = HTTPStatus(status)
        var writer = JSONWriter(reserving: 512)
        writer.object { writer in
            writer.name("error")
            writer.object { writer in
                if let id {
                    writer.name("id")
                    writer.string(id.rawValue)
                }
                writer.name("code")
                writer.integer(Int64(self.status))
                writer.name("status")
                writer.string(status.phrase)
                if let request {
                    writer.name("request")
                    writer.string(request)
                }
                if let reason {
                    writer.name("reason")
                    writer.string(reason)
                }
                writer.name("message")
                writer.string(status.explanation)
            }
            if let replacement {
                writer.name("expired_at")
                writer.time(replacement.expiredAt)
                writer.name("since")
                writer.integer(replacement.since.wholeMicroseconds * 1000)
                writer.name("use_flow_id")
                writer.identifier(replacement.flow)
            }
        }
        var response = HTTPResponse(
            self.status,
            headers: ["Content-Type": "application/json"],
            body: writer.bytes
        )
        if let retryAfter { response.headers["Retry-After"] = String(max(1, retryAfter)) }
        return response
    }
}
