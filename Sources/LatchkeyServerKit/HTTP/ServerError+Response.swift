import LatchkeyModel
package import LatchkeyWire

extension ServerError {
    /// Returns a response whose JSON body is the error envelope.
    ///
    /// A `retryAfter` below 1 is sent as 1.
    ///
    /// - Parameter request: The request id to repeat in the envelope's `request` member, or `nil` to omit the
    ///   member.
    /// - Returns: The response. If the error has a `retryAfter`, the response includes a `Retry-After` header
    ///   field.
    package func response(echoing request: String?) -> HTTP.Response {
        var writer = JSONWriter(reserving: 512)
        writer.object { writer in
            writer.name("error")
            write(echoing: request, to: &writer)
            if let browserLocation {
                writer.name("redirect_browser_to")
                writer.string(browserLocation)
            }
            if let replacement {
                if let expiredAt = replacement.expiredAt {
                    writer.name("expired_at")
                    writer.time(expiredAt)
                    writer.name("since")
                    writer.integer((replacement.now - expiredAt).wholeMicroseconds * 1000)
                }
                writer.name("use_flow_id")
                writer.identifier(replacement.flow)
            }
        }
        var response = HTTP.Response(
            self.status,
            headers: ["Content-Type": "application/json"],
            body: writer.bytes
        )
        if let retryAfter { response.headers["Retry-After"] = String(max(1, retryAfter)) }
        response.headers.fields += headers.fields
        return response
    }

    /// Writes the member `error` of the envelope.
    ///
    /// - Parameters:
    ///   - request: The request id to repeat, or `nil` to omit it.
    ///   - writer: The writer to append to.
    package func write(echoing request: String?, to writer: inout JSONWriter) {
        let status = HTTPStatus(code)
        writer.object { writer in
            if let id {
                writer.name("id")
                writer.string(id.rawValue)
            }
            writer.name("code")
            writer.integer(Int64(code))
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
            if let duty {
                writer.name("duty")
                writer.string(duty.rawValue)
            }
            if !continuation.isEmpty || restart != nil || duties != nil {
                writer.name("details")
                writer.object(details)
            }
            writer.name("message")
            writer.string(status.explanation)
        }
    }

    private func details(_ writer: inout JSONWriter) {
        if let duties {
            writer.name("duties")
            writer.raw(duties)
        }
        if !continuation.isEmpty {
            writer.name("continue_with")
            writer.continuation(continuation)
        }
        guard let restart else { return }
        writer.name("redirect_to")
        writer.string(restart.address)
        writer.name("return_to")
        writer.string(restart.returnTo ?? "")
    }
}
