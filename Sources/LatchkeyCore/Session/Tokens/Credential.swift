/// The kind of credential that the app's own requests carry in `Authorization`.
public enum Credential: Sendable {
    /// The session token.
    ///
    /// It works with every identity server. An API needs no keys to verify it: the API asks the identity
    /// server for the session (`GET /sessions/whoami`), and so notices a sign-out immediately. The token is
    /// valid for as long as the session and gives access to the whole account. An API that receives it can
    /// act as the user everywhere, so send it only to your own servers.
    case sessionToken

    /// A signed access token (RFC 9068) that is valid for a few minutes and is renewed with a refresh token.
    ///
    /// It is the better choice if the identity server supports `POST /oauth2/token`. It gives access to APIs,
    /// not to the account. An API verifies it with the server's published keys, without a request to the
    /// identity server. A stolen token expires soon, but until then APIs accept it, even after a sign-out.
    /// The client requests the first access token when the app sends its first request.
    case accessToken

    /// A signed access token that is bound to the device's key (RFC 9449): a stolen token cannot be used
    /// without the key.
    ///
    /// Each request carries a proof of possession in the header field `DPoP`. The identity server must issue
    /// such tokens, and the API must verify the proofs.
    case boundAccessToken
}
