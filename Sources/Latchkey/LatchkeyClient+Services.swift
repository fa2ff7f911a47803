package import LatchkeyCore
package import LatchkeyModel
package import LatchkeyWire

/// The members that clients of further APIs of the identity server need, so they do not use the engine directly.
extension LatchkeyClient {
    /// Scheme, host and port of the identity server.
    package var serverOrigin: String { engine.api.origin }

    /// The device's clock.
    package var time: any TimeSource { engine.time }

    /// The device's random source.
    package var random: any RandomSource { engine.random }

    /// The receiver of log events.
    package var logger: (any LatchkeyLogger)? { engine.logger }

    /// The data beside the session that outlives a call.
    package var sideRecords: SideRecords { engine.sideRecords }

    /// Adds an observer of the events that the server reports about the session.
    ///
    /// - Parameter observer: Called on any thread with each event, after the session was checked because of it. It is
    ///   never called unless the client follows the events. The client retains it.
    package func onSessionEvent(_ observer: @escaping @Sendable (SessionEventType) -> Void) {
        engine.events.observe(observer)
    }

    /// Returns a request to a route below the server's base path, without credentials.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - route: The route, percent-encoded and with a leading slash.
    ///   - query: The encoded query, without the question mark.
    ///   - body: The JSON body; `nil` if there is none.
    /// - Returns: The request.
    package func serviceRequest(
        _ method: HTTP.Method,
        route: String,
        query: String? = nil,
        body: JSONValue? = nil
    ) -> HTTP.Request {
        engine.api.serviceRequest(method, route: route, query: query, body: body)
    }

    /// Returns the body of a successful response as JSON; `null` if the body is empty.
    ///
    /// - Throws: ``LatchkeyCore/LatchkeyError`` for every status other than 2xx, or if the body is not JSON.
    package func serviceBody(of answer: HTTP.Response) throws(LatchkeyError) -> JSONValue {
        try engine.api.serviceBody(of: answer)
    }

    /// Sends a request to the identity server without credentials.
    @concurrent package func sendWithoutSession(
        _ request: HTTP.Request
    ) async throws(LatchkeyError) -> HTTP.Response {
        try await engine.api.sendWithoutSession(request)
    }
}
