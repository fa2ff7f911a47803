public import LatchkeyCore
public import LatchkeyWire

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Requests that the app sends with its own network stack, such as `URLSession`, a WebSocket or a gRPC client.
extension LatchkeyClient {
    /// Returns the credentials for one request of the app's own network stack.
    ///
    /// If the access token expires within `minimum`, or a response reported with
    /// ``reportResponse(status:headers:for:)`` rejected it, the client refreshes it first; concurrent calls
    /// share one refresh. If the refresh fails and the current token is still valid, the current token is
    /// returned, with an earlier ``LatchkeyCore/RequestAuthorization/expiresAt``. A minimum that is longer than
    /// the lifetime of the tokens causes at most one refresh a minute.
    ///
    /// With ``LatchkeyCore/Credential/boundAccessToken``, the credentials contain a proof for this method and
    /// URL, and are valid for a single request.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - url: The absolute URL, without user information and fragment. Its origin must be the identity
    ///     server's or one of the client's `apiOrigins`.
    ///   - minimum: The time for which an access token should remain valid.
    /// - Returns: The header fields to add to the request.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `originNotAllowed` for any other origin,
    ///   `invalidInput` for a malformed URL or plain `http` to another machine, and `signedOut` when no user is
    ///   signed in.
    @concurrent public func authorization(
        _ method: HTTP.Method = .get,
        for url: String,
        validFor minimum: Duration = .seconds(30)
    ) async throws(LatchkeyError) -> RequestAuthorization {
        let target = try target(method, of: url)
        do throws(LatchkeyError) {
            return try await engine.requests.authorization(
                for: target.request,
                to: target.origin,
                validFor: minimum
            )
        } catch {
            throw engine.keeper.settled(error)
        }
    }

    /// Returns the credentials for one request of the app's own network stack.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - url: The absolute URL; a fragment is ignored. Its origin must be that of the identity server or one
    ///     of the `apiOrigins` of the client.
    ///   - minimum: The time for which an access token should remain valid.
    /// - Returns: The header fields to add to the request.
    /// - Throws: ``LatchkeyCore/LatchkeyError``, with the same codes as for a URL in a string.
    @concurrent public func authorization(
        _ method: HTTP.Method = .get,
        for url: URL,
        validFor minimum: Duration = .seconds(30)
    ) async throws(LatchkeyError) -> RequestAuthorization {
        let text = url.absoluteString
        return try await authorization(
            method,
            for: String(text.prefix { $0 != "#" }),
            validFor: minimum
        )
    }

    /// Reports a response that the app's own network stack received.
    ///
    /// Report every 401, so that the client notices a token that the server rejects and a session that has
    /// ended. The client then checks the session, or refreshes the token, in the background, at most once a
    /// minute; a report never ends the session by itself. If servers demand nonces in the proofs of bound
    /// tokens (RFC 9449, section 9), report all responses with their header fields.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - headers: The header fields of the response.
    ///   - authorization: The credentials of the request.
    /// - Returns: Whether the request should be repeated once, with new credentials from
    ///   ``authorization(_:for:validFor:)-(_,String,_)``.
    @discardableResult
    public func reportResponse(
        status: Int,
        headers: HTTP.Headers = [:],
        for authorization: RequestAuthorization
    ) -> Bool {
        engine.requests.report(status: status, headers: headers, for: authorization)
    }

    /// Returns the request for a URL, and its origin.
    func target(
        _ method: HTTP.Method,
        of url: String
    ) throws(LatchkeyError) -> (request: HTTP.Request, origin: String) {
        guard let address = WebAddress(url) else {
            throw engine.keeper.settled(
                LatchkeyError(
                    .invalidInput,
                    message: "The URL must be absolute, such as https://api.example.com/me."
                )
            )
        }
        let path = address.path.isEmpty ? "/" : address.path
        return (HTTP.Request(method, path, query: address.query), address.origin)
    }
}
