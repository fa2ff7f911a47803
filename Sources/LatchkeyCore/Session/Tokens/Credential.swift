/// What the app's own requests carry as the person who is logged in, after `Authorization: Bearer`.
public enum Credential: Sendable {
    /// The session's token.
    ///
    /// It works with every identity server, and an API needs no keys to accept it: it asks the identity server whose
    /// session it is (`GET /sessions/whoami`), and learns of a sign-out at once. The token is valid as long as the session
    /// and opens the whole account, so that an API that is given one could act as the user everywhere: send it to servers
    /// of your own only.
    case sessionToken

    /// A signed access token (RFC 9068) that is valid for minutes, renewed by a refresh token when needed.
    ///
    /// It is the better choice wherever the identity server has `POST /oauth2/token`: it opens APIs, not the account, an
    /// API verifies it without a request to the identity server, with the keys that the server publishes, and a stolen one
    /// expires soon. APIs accept it until then, also after a sign-out. It is requested with the first request of the app.
    case accessToken
}
