public import LatchkeyWire

/// A failure between the client and the server.
public enum NetworkFault: Sendable {
    /// The server cannot be reached, and the request is not sent.
    ///
    /// The error has the code `unreachable` and says that the request was never sent.
    case unreachable
    /// The request is lost: the server doesn't receive it, and the client sees a timeout.
    ///
    /// The timeout occurs immediately, without any time passing on the virtual clock.
    case dropRequest
    /// The server processes the request, but its response is lost, and the client sees a timeout.
    ///
    /// The client sees the timeout as soon as the server has responded. The virtual clock doesn't have to
    /// advance.
    case dropResponse
    /// An intermediary responds instead of the server, and the server doesn't receive the request.
    ///
    /// The response is recorded as if the server had sent it.
    case respond(HTTP.Response)
    /// The request is delayed by the given duration on the virtual clock.
    ///
    /// After the delay, the request is sent as usual, unless its task was cancelled in the meantime. If the
    /// delay isn't shorter than the request's time limit, which is 15 seconds by default, the request is not
    /// sent and fails with `timedOut` when the limit is reached.
    case delay(Duration)

    /// Creates a fault in which an intermediary, such as a proxy, responds without a body.
    ///
    /// - Parameters:
    ///   - status: The HTTP status code.
    ///   - retryAfter: The value of `Retry-After` in seconds, or `nil` to omit the header.
    /// - Returns: A fault that responds to a request in place of the server.
    public static func respond(_ status: Int, retryAfter: Int? = nil) -> NetworkFault {
        var response = HTTP.Response(status)
        response.headers["Retry-After"] = retryAfter.map(String.init)
        return .respond(response)
    }
}
