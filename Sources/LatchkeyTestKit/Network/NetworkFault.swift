public import LatchkeyWire

/// A failure between a client and the server.
public enum NetworkFault: Sendable {
    /// The server cannot be reached: no request is sent, and the error says so.
    case unreachable
    /// The request is lost: the server does not receive it, and the client sees a timeout.
    case dropRequest
    /// The server processes the request, but its response is lost, and the client sees a timeout.
    case dropAnswer
    /// An intermediary responds, and the server does not receive the request.
    case answer(HTTP.Response)
    /// The request is delayed by a duration of the virtual clock.
    case delay(Duration)

    /// Creates a fault with a response without a body, such as a proxy sends.
    ///
    /// - Parameters:
    ///   - status: The HTTP status code.
    ///   - retryAfter: The value of `Retry-After` in seconds; `nil` for no such header.
    /// - Returns: The fault.
    public static func answer(_ status: Int, retryAfter: Int? = nil) -> NetworkFault {
        var response = HTTP.Response(status)
        response.headers["Retry-After"] = retryAfter.map(String.init)
        return .answer(response)
    }
}
