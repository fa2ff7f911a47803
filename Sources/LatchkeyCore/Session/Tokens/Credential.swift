/// The kind of credential that the app's own requests contain in the `Authorization` header field.
///
/// Requests to the identity server's own routes, except `whoami`, always contain the session token.
public enum Credential: Sendable {
    /// The session token.
    ///
    /// A session token works with every identity server. An API doesn't need any keys to verify a session
    /// token. Instead, the API asks the identity server for the session (`GET /sessions/whoami`), so it
    /// immediately notices when the user signs out. The token is valid for as long as the session, and it
    /// grants access to the whole account. An API that receives the token can do anything on behalf of the
    /// user, so only send it to your own servers.
    case sessionToken

    /// A signed access token (RFC 9068) that is valid for a few minutes and is renewed with a refresh token.
    ///
    /// An access token is the better choice if the identity server supports `POST /oauth2/token`. The token
    /// grants access to APIs, but not to the account. APIs verify an access token with the server's published
    /// keys and don't have to contact the identity server. A stolen token expires soon, but APIs accept it
    /// until then, even if the user signs out. The client requests the first access token when the app sends
    /// its first request.
    case accessToken

    /// A signed access token that is bound to the device's key (RFC 9449). If the token is stolen, it can't
    /// be used without the key.
    ///
    /// Every request contains a proof of possession in the `DPoP` header field. The identity server must
    /// issue bound tokens, and the API must verify the proofs.
    case boundAccessToken
}
