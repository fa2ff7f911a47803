package import LatchkeyServerKit

extension RequestContext {
    /// Lets the web pages of a client read the response, including any error that follows.
    ///
    /// The client must have been authenticated, or own the token in the request.
    package func shareResponse(with client: OAuthClient) {
        shareResponse(withOrigins: client.metadata.corsOrigins)
    }
}
