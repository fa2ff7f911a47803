public import LatchkeyWire

/// Something that goes wrong between a client and the server.
public enum NetworkFault: Sendable {
    /// There is no way to the server: nothing is sent.
    case unreachable
    /// The request is lost under way: the server never sees it, and the client cannot know.
    case dropRequest
    /// The server does what it is asked, and its answer is lost.
    case dropAnswer
    /// Something before the server answers in its place.
    case answer(HTTPResponse)
    /// The request is under way for so long, on the virtual clock.
    case delay(Duration)

    /// An answer without a body, such as a proxy gives.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - retryAfter: The seconds in `Retry-After`; no such header when not given.
    /// - Returns: The fault.
    public static func answer(_ status: Int, retryAfter: Int? = nil) -> NetworkFault {
        var response = HTTPResponse(status)
        response.headers["Retry-After"] = retryAfter.map(String.init)
        return .answer(response)
    }
}
