package import LatchkeyCore
package import LatchkeyModel
package import LatchkeyWire

/// Members that clients of the identity server's other APIs use instead of accessing the engine directly.
extension LatchkeyClient {
    /// The scheme, host and port of the identity server.
    package var serverOrigin: String { engine.api.origin }

    /// The device's clock.
    package var time: any TimeSource { engine.time }

    /// The device's source of random bytes.
    package var random: any RandomSource { engine.random }

    /// The logger that receives log events.
    package var logger: (any LatchkeyLogger)? { engine.logger }

    /// Data that persists between calls and is stored alongside the session.
    package var sideRecords: SideRecords { engine.sideRecords }

    /// Adds an observer for the session events that the server sends.
    ///
    /// - Parameter observer: A closure that is called on any thread for each event, after the client has
    ///   checked the session. The closure is only called while a client that shares the session follows
    ///   session events.
    /// - Returns: The token that keeps the observer registered.
    package func onSessionEvent(
        _ observer: @escaping @Sendable (SessionEventType) -> Void
    ) -> ObserverToken {
        engine.events.observe(observer)
    }

    /// Creates a request for a route of the identity server.
    ///
    /// The request doesn't contain any credentials.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - route: The percent-encoded route below the server's base path, with a leading slash.
    ///   - query: The encoded query, without the question mark.
    ///   - body: The encoded JSON body, or `nil` if there is none.
    /// - Returns: The request.
    package func serviceRequest(
        _ method: HTTP.Method,
        route: String,
        query: String? = nil,
        body: [UInt8]? = nil
    ) -> HTTP.Request {
        engine.api.serviceRequest(method, route: route, query: query, body: body)
    }

    /// Sends a request to the identity server without credentials.
    @concurrent package func sendWithoutSession(
        _ request: HTTP.Request
    ) async throws(LatchkeyError) -> HTTP.Response {
        try await engine.api.sendWithoutSession(request)
    }
}
