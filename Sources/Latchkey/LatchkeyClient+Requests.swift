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
    /// - Parameter url: The absolute URL, such as `https://api.example.com/me`. Its origin must be the
    ///   identity server's or one of the client's `apiOrigins`.
    /// - Returns: The body, and the response with its status; no status is thrown as an error.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `signedOut` when no user is signed in. Before a
    ///   request is sent, the code is `invalidInput` for a malformed URL, and `originNotAllowed` for any
    ///   other origin.
    @concurrent public func data(from url: String) async throws(LatchkeyError) -> (Data, HTTP.Response) {
        let target = try target(.get, of: url)
        let answer = try await send(target.request, to: target.origin)
        return (Data(answer.body), answer)
    }

    /// Sends an authenticated `GET` request to the app's own API.
    ///
    /// - Parameter url: The absolute URL. Its origin must be that of the identity server or one of the
    ///   `apiOrigins` of the client.
    /// - Returns: The body, and the response with its status; every status is returned, none is thrown.
    /// - Throws: ``LatchkeyCore/LatchkeyError``, with the same codes as for a URL in a string.
    @concurrent public func data(from url: URL) async throws(LatchkeyError) -> (Data, HTTP.Response) {
        try await data(from: url.absoluteString)
    }

    /// Sends an authenticated request to the app's own API.
    ///
    /// The request can go only to the identity server or to one of the client's `apiOrigins`. Redirects are
    /// returned, not followed. The token is sent as `Authorization: Bearer` (RFC 6750, section 2.1).
    ///
    /// A 401 response is returned like any other. It ends the session only if the identity server rejects the
    /// session: after a 401 from another server, the client checks the session with the identity server in
    /// the background, at most once a minute, and less often if the result remains the same.
    ///
    /// With ``LatchkeyCore/Credential/accessToken``, a request whose token was rejected is repeated once with
    /// a newer token.
    ///
    /// - Parameters:
    ///   - request: The request; its path starts with a slash.
    ///   - origin: Scheme, host and port, such as `https://api.example.com`, without a path. Plain `http` is
    ///     accepted only for this machine, because the token is part of the request.
    ///   - limits: The time limit and the maximum size of the response; by default, those of the transport.
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `signedOut` when no user is signed in. Before a
    ///   request is sent, the code is `originNotAllowed` for any other origin, and `invalidInput` if `origin`
    ///   is not an origin or the path could change the destination.
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

    /// Sends an authenticated request whose bodies are sent and received in parts.
    ///
    /// It returns as soon as the head of the response has arrived. Use it for bodies that do not fit into
    /// memory, and for streams of server-sent events. By default, the exchange has no limits, but fails with
    /// `timedOut` after a minute without data. A transport that is not a
    /// ``LatchkeyWire/StreamingTransport`` sends and receives complete bodies with its own limits.
    ///
    /// The rules for credentials and status 401 are those of ``send(_:to:limits:)``. A request whose token was
    /// rejected is repeated only if its upload is repeatable.
    ///
    /// - Parameters:
    ///   - request: The request; its path starts with a slash, and its body is empty if `upload` is given.
    ///   - upload: The body of the request; `nil` sends the request's own body.
    ///   - origin: Scheme, host and port, such as `https://api.example.com`, without a path.
    ///   - limits: The limits of the exchange.
    /// - Returns: The response, regardless of its status. Releasing its body cancels the exchange.
    /// - Throws: ``LatchkeyCore/LatchkeyError``, with the same codes as ``send(_:to:limits:)``.
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
