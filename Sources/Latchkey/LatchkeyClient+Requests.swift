public import LatchkeyCore
import LatchkeyModel
public import LatchkeyWire

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension LatchkeyClient {
    /// Sends an authenticated `GET` request to the app's own API.
    ///
    /// - Parameters:
    ///   - url: The absolute URL, such as `https://api.example.com/me`. A fragment is ignored. The URL's origin
    ///     must be the origin of the identity server or one of the client's `apiOrigins`.
    ///   - limits: The time limit and the maximum size of the response. By default, the transport's limits
    ///     apply, which are 15 seconds and 1 MiB.
    /// - Returns: The body and the response. The response is returned regardless of its status.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `signedOut` if no user is signed in. The code
    ///   is `invalidInput` if the URL is malformed, or `originNotAllowed` for any other origin. A request
    ///   with an invalid or disallowed URL is never sent.
    @concurrent public func data(
        from url: String,
        limits: RequestLimits = RequestLimits()
    ) async throws(LatchkeyError) -> (Data, HTTP.Response) {
        let target = try target(.get, of: url)
        let answer = try await send(target.request, to: target.origin, limits: limits)
        return (Data(answer.body), answer)
    }

    /// Sends an authenticated `GET` request to the app's own API.
    ///
    /// - Parameters:
    ///   - url: The absolute URL. A fragment is ignored. The URL's origin must be the origin of the identity
    ///     server or one of the client's `apiOrigins`.
    ///   - limits: The time limit and the maximum size of the response. By default, the transport's limits
    ///     apply, which are 15 seconds and 1 MiB.
    /// - Returns: The body and the response. The response is returned regardless of its status.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the same codes as for a URL string.
    @concurrent public func data(
        from url: URL,
        limits: RequestLimits = RequestLimits()
    ) async throws(LatchkeyError) -> (Data, HTTP.Response) {
        try await data(from: url.absoluteString, limits: limits)
    }

    /// Sends an authenticated request to the app's own API.
    ///
    /// Requests can only be sent to the identity server or to one of the client's `apiOrigins`. Redirects are
    /// returned to the caller and not followed. The token is sent as `Authorization: Bearer` (RFC 6750,
    /// section 2.1). The client adds a `User-Agent` with the names of the app and the SDK, unless the request
    /// has one.
    ///
    /// A 401 response is returned like any other response. The session only ends if the identity server
    /// rejects it. After a 401 from any other server, the client checks the session with the identity server
    /// in the background, at most once per minute, and less often if the result doesn't change.
    ///
    /// With ``LatchkeyCore/Credential/accessToken``, a request is repeated once with a newer token if its
    /// token was rejected.
    ///
    /// - Parameters:
    ///   - request: The request to send. The path must start with a slash.
    ///   - origin: The scheme, host and port, such as `https://api.example.com`, without a path. Because the
    ///     request contains the token, plain `http` is only accepted for this machine.
    ///   - limits: The time limit and the maximum size of the response. By default, the transport's limits
    ///     apply, which are 15 seconds and 1 MiB.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `signedOut` if no user is signed in. The code
    ///   is `invalidInput` if `origin` isn't an origin or if the path could change the destination, or
    ///   `originNotAllowed` for any other origin. A request with an invalid or disallowed URL is never sent.
    @concurrent public func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits = RequestLimits()
    ) async throws(LatchkeyError) -> HTTP.Response {
        do throws(LatchkeyError) {
            return try await engine.requests.send(request, to: origin, limits: limits)
        } catch {
            throw engine.keeper.settled(error)
        }
    }

    /// Sends an authenticated request and streams the bodies of the request and the response.
    ///
    /// This method returns as soon as the head of the response has been received. Use this method for bodies
    /// that don't fit into memory and for streams of server-sent events. By default, there are no limits, but
    /// the exchange fails with `timedOut` if no data is transferred for a minute. If the transport isn't a
    /// ``LatchkeyWire/StreamingTransport``, it sends and receives complete bodies and applies its own limits.
    ///
    /// Credentials and status 401 are handled in the same way as in ``send(_:to:limits:)``. If the token was
    /// rejected, the request is only repeated if the upload is repeatable.
    ///
    /// - Parameters:
    ///   - request: The request to send. The path must start with a slash, and the body must be empty if
    ///     there is an `upload`.
    ///   - upload: The body of the request. If this is `nil`, the request's own body is sent.
    ///   - origin: The scheme, host and port, such as `https://api.example.com`, without a path.
    ///   - limits: The limits for the exchange.
    /// - Returns: The response, regardless of its status. Releasing the response body cancels the exchange.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the same codes as ``send(_:to:limits:)``.
    @concurrent public func stream(
        _ request: HTTP.Request,
        upload: HTTP.Upload? = nil,
        to origin: String,
        limits: RequestLimits = RequestLimits()
    ) async throws(LatchkeyError) -> HTTP.StreamedResponse {
        do throws(LatchkeyError) {
            return try await engine.requests.stream(request, upload: upload, to: origin, limits: limits)
        } catch {
            throw engine.keeper.settled(error)
        }
    }
}
