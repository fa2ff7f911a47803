package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// The access token of a request for the user's claims.
package struct UserInfoToken: Sendable {
    package let secret: Secret
    package let scheme: AuthenticationScheme

    /// Reads the token in the header field of a request.
    ///
    /// Tokens elsewhere are refused, because addresses are logged, and other parsers may prefer another one
    /// of several tokens (RFC 6750, section 2).
    package init(_ request: HTTP.Request) throws(OAuthError) {
        guard QueryItems(request.query ?? "")["access_token"] == nil,
            request.mediaType != "application/x-www-form-urlencoded"
                || QueryItems(encoded: request.body)["access_token"] == nil,
            !request.headers.repeats("Authorization")
        else {
            throw OAuthError(
                .invalidRequest,
                reason: "The access token must be sent once, in the Authorization header field."
            )
        }
        for scheme in [AuthenticationScheme.dpop, .bearer] {
            guard let secret = request.token(by: scheme) else { continue }
            (self.secret, self.scheme) = (secret, scheme)
            return
        }
        throw OAuthError(
            .invalidToken,
            reason: "The request contains no access token.",
            status: 401,
            headers: [AuthenticationChallenge.header: AuthenticationChallenge.bearer().value]
        )
    }
}
