import LatchkeyModel
import LatchkeyWire

extension Transport {
    /// Sends a request and returns the response, regardless of its status.
    ///
    /// - Parameters:
    ///   - request: The request, which is checked before it is passed to the transport.
    ///   - origin: The scheme, host and port of the server.
    ///   - limits: The limits for the exchange.
    ///   - clock: Notes the server's time.
    ///   - time: The device's clock.
    /// - Returns: The response.
    /// - Throws: ``LatchkeyError`` if there is none.
    func exchange(
        _ request: HTTP.Request,
        with origin: String,
        limits: RequestLimits,
        clock: ServerClock,
        time: any TimeSource
    ) async throws(LatchkeyError) -> HTTP.Response {
        guard !Task.isCancelled else { throw .cancelled }
        var request = request
        request.headers["Accept"] = "application/json"
        let start = time.uptime
        let response: HTTP.Response
        do throws(TransportError) {
            try RequestTarget.check(request)
            response = try await send(request, to: origin, limits: limits)
        } catch {
            throw LatchkeyError(transport: error)
        }
        if response.isJSON { clock.note(response.headers, from: origin, askedAt: start) }
        return response
    }
}
