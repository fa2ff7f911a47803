/// What the app's own requests carry as the person who is logged in, after `Authorization: Bearer`.
public enum Credential: Sendable {
    /// The session's token.
    ///
    /// It is the same as long as the session lasts, and the identity server alone can say whose it is: the app's API
    /// asks it (`GET /sessions/whoami`).
    case sessionToken

    /// A signed access token (RFC 9068) that lasts for minutes, renewed by a refresh token when needed.
    ///
    /// The app's API checks it by itself, with the keys that the identity server publishes. It is asked for at the
    /// first request; needs a server with `POST /oauth2/token`.
    case accessToken
}
