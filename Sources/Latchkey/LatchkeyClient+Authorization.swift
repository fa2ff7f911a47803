public import LatchkeyCore
public import LatchkeyWire

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Authorization for requests that the app sends with its own network stack, such as `URLSession`, a
/// WebSocket or a gRPC client.
extension LatchkeyClient {
    /// Returns the credentials for a single request that the app sends with its own network stack.
    ///
    /// The access token is refreshed first if it expires within `minimum`, or if the server rejected it in a
    /// response that you reported with ``reportResponse(status:headers:for:)``. Concurrent calls share one
    /// refresh. If the refresh fails and the current token is still valid, the current token is returned, and
    /// ``LatchkeyCore/RequestAuthorization/expiresAt`` is earlier than requested. If `minimum` is longer than
    /// the lifetime of the tokens, the token is refreshed at most once per minute.
    ///
    /// With ``LatchkeyCore/Credential/boundAccessToken``, the credentials contain a proof for this method and
    /// URL, and can only be used for a single request.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - url: The absolute URL, without user information. A fragment is ignored. The URL's origin must be
    ///     the origin of the identity server or one of the client's `apiOrigins`.
    ///   - minimum: How long the access token must remain valid.
    /// - Returns: The header fields to add to the request.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `originNotAllowed` for any other origin,
    ///   `invalidInput` if the URL is malformed or uses plain `http` for another machine, or `signedOut` if
    ///   no user is signed in.
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

    /// Returns the credentials for a single request that the app sends with its own network stack.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - url: The absolute URL. A fragment is ignored. The URL's origin must be the origin of the identity
    ///     server or one of the client's `apiOrigins`.
    ///   - minimum: How long the access token must remain valid.
    /// - Returns: The header fields to add to the request.
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the same codes as for a URL string.
    @concurrent public func authorization(
        _ method: HTTP.Method = .get,
        for url: URL,
        validFor minimum: Duration = .seconds(30)
    ) async throws(LatchkeyError) -> RequestAuthorization {
        try await authorization(method, for: url.absoluteString, validFor: minimum)
    }

    /// Reports the response to a request that the app sent with its own network stack.
    ///
    /// Report every 401 response. Otherwise, the client doesn't notice that a token was rejected or that the
    /// session has ended. After a 401, the client checks the session or refreshes the token in the
    /// background, at most once per minute. Reporting a response never ends the session directly. If your
    /// servers require nonces in the proofs of bound tokens (RFC 9449, section 9), report all responses,
    /// including their header fields.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - headers: The header fields of the response.
    ///   - authorization: The credentials that were sent with the request.
    /// - Returns: `true` if you should retry the request once with new credentials from
    ///   ``authorization(_:for:validFor:)-(_,String,_)``.
    @discardableResult
    public func reportResponse(
        status: Int,
        headers: HTTP.Headers = [:],
        for authorization: RequestAuthorization
    ) -> Bool {
        engine.requests.report(status: status, headers: headers, for: authorization)
    }

    /// Returns a request for the URL without its fragment, and the URL's origin.
    func target(
        _ method: HTTP.Method,
        of url: String
    ) throws(LatchkeyError) -> (request: HTTP.Request, origin: String) {
        let address: WebAddress
        do throws(WebAddressError) {
            address = try WebAddress(parsing: url, dropsFragment: true)
        } catch {
            throw engine.keeper.settled(LatchkeyError(error, about: "The URL"))
        }
        let path = address.path.isEmpty ? "/" : address.path
        return (HTTP.Request(method, path, query: address.query), address.origin)
    }
}
