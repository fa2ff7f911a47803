public import LatchkeyCore
import LatchkeyModel
public import LatchkeyWire

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension LatchkeyClient {
    /// Reads something of the app's own API as the person who is logged in.
    ///
    /// - Parameter url: The address, such as `https://api.example.com/me`; its origin is the identity server's or one of
    ///   the `apiOrigins` that the client was created with.
    /// - Returns: The body and the answer, whatever its status.
    /// - Throws: ``LatchkeyCore/LatchkeyError``; its code is `signedOut` when nobody is logged in, and `originNotAllowed`,
    ///   before anything is sent, for another origin.
    @concurrent public func data(from url: String) async throws(LatchkeyError) -> (Data, HTTPResponse) {
        guard let address = WebAddress(url) else {
            throw engine.keeper.settled(
                LatchkeyError(.invalidInput, "A URL looks like https://api.example.com/me.")
            )
        }
        let path = address.path.isEmpty ? "/" : address.path
        let answer = try await send(HTTPRequest(.get, path, query: address.query), to: address.origin)
        return (Data(answer.body), answer)
    }

    /// Sends a request of the app's own API as the person who is logged in.
    ///
    /// It goes to the identity server or to one of the `apiOrigins` that the client was created with, and nowhere else:
    /// redirects are returned, not followed. The token is sent as `Authorization: Bearer`. An answer of 401 is returned like any other. It ends the session
    /// only if the identity server denies the session; after a 401 of another server, the client asks the identity server
    /// in the background, at most once a minute and less often while the answer stays the same.
    ///
    /// With ``LatchkeyCore/Credential/accessToken``, a request whose token was refused is sent again once with a fresher
    /// one.
    ///
    /// - Parameters:
    ///   - request: The request; its path starts with a slash.
    ///   - origin: Scheme, host and port, such as `https://api.example.com`, without a path; plain `http` is accepted for
    ///     this machine only, because the token goes along.
    /// - Returns: The answer, whatever its status.
    /// - Throws: ``LatchkeyCore/LatchkeyError``; its code is `signedOut` when nobody is logged in. Before anything is sent,
    ///   it is `originNotAllowed` for another origin, and `invalidInput` for a text that is no origin, or a request that
    ///   could go elsewhere.
    @concurrent public func send(
        _ request: HTTPRequest,
        to origin: String
    ) async throws(LatchkeyError) -> HTTPResponse {
        do throws(LatchkeyError) {
            return try await engine.requests.send(request, to: origin)
        } catch {
            throw engine.keeper.settled(error)
        }
    }
}
