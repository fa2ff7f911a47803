/// The credential that the app's own requests carry in `Authorization: Bearer`.
public enum Credential: Sendable {
    /// The token of the session.
    ///
    /// It works with every identity server. An API needs no keys to accept it: it asks the identity server
    /// for the session (`GET /sessions/whoami`), and notices a sign-out at once. The token is valid as long
    /// as the session and gives access to the whole account. An API that receives it can act as the user
    /// everywhere, so send it only to your own servers.
    case sessionToken

    /// A signed access token (RFC 9068) that is valid for minutes and is renewed with a refresh token.
    ///
    /// It is the better choice if the identity server has `POST /oauth2/token`. It gives access to APIs, not
    /// to the account; an API verifies it with the server's published keys, without a request to the identity
    /// server; and a stolen one expires soon. APIs accept it until then, also after a sign-out. The first one
    /// is requested with the first request of the app.
    case accessToken
}
