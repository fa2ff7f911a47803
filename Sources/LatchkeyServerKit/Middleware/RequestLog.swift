package import LatchkeyModel
package import LatchkeyWire

/// A middleware that logs the method, path, status and duration of each request.
///
/// The middleware never logs the query, header fields or body.
package struct RequestLog: HTTPHandler {
    private let handler: any HTTPHandler
    private let log: Log
    private let time: any TimeSource

    /// Creates the middleware.
    ///
    /// - Parameters:
    ///   - handler: The next responder.
    ///   - log: The logger. The middleware logs requests at the `trace` level.
    ///   - time: The clock for measuring durations.
    package init(_ handler: any HTTPHandler, log: Log, time: any TimeSource) {
        self.handler = handler
        self.log = log
        self.time = time
    }

    /// Calls the next responder, then logs the request.
    ///
    /// If the response body is streamed, the request is logged before the body is sent.
    package func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        let start = time.uptime
        let response = await handler.respond(to: request, from: peer)
        log.write(
            .trace,
            "request",
            Log.Field("method", request.method),
            Log.Field("path", LoggedPath(request)),
            Log.Field("status", response.status),
            Log.Field("microseconds", time.uptime - start),
            Log.Field("peer", peer)
        )
        return response
    }
}
