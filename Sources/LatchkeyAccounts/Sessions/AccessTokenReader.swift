package import LatchkeyModel
package import LatchkeyServerKit

/// Reads the access tokens of requests.
package protocol AccessTokenReader: Sendable {
    /// Returns the access token of a request, or `nil` if the request doesn't contain a valid one.
    ///
    /// Throws an error if the token requires a proof of possession and the request doesn't contain a valid
    /// proof.
    func token(of context: RequestContext) async throws -> PresentedAccessToken?

    /// Returns the thumbprint of the key in a request's proof of possession for a session token.
    ///
    /// Throws an error if the proof isn't valid.
    func provenKey(in context: RequestContext, for token: Secret) async throws -> [UInt8]
}
