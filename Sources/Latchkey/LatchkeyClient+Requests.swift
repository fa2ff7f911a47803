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
        guard let address = WebAddress(url) else {
            throw engine.keeper.settled(
                LatchkeyError(
                    .invalidInput,
                    message: "The URL must be absolute, such as https://api.example.com/me."
                )
            )
        }
        let path = address.path.isEmpty ? "/" : address.path
        let answer = try await send(HTTP.Request(.get, path, query: address.query), to: address.origin)
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
    /// - Returns: The response, regardless of its status.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `signedOut` when no user is signed in. Before a
    ///   request is sent, the code is `originNotAllowed` for any other origin, and `invalidInput` if `origin`
    ///   is not an origin or the path could change the destination.
    @concurrent public func send(
        _ request: HTTP.Request,
        to origin: String
    ) async throws(LatchkeyError) -> HTTP.Response {
        do throws(LatchkeyError) {
            return try await engine.requests.send(request, to: origin)
        } catch {
            throw engine.keeper.settled(error)
        }
    }
}
