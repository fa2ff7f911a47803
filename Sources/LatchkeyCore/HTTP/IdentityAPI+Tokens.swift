import LatchkeyModel
import LatchkeyWire

/// Requests to the token endpoint, which refreshes and exchanges tokens.
extension IdentityAPI {
    /// The tokens from a successful response.
    struct Tokens: Sendable {
        let body: TokenBody
        let type: AccessTokenType
    }

    /// The URL of the token endpoint.
    ///
    /// DPoP proofs for this endpoint must contain this URL as `htu`.
    var tokenURL: String {
        server.origin + server.pathPrefix + Route.token
    }

    /// Sends a request to the token endpoint (RFC 6749, section 6; RFC 8693; RFC 9449).
    ///
    /// - Parameters:
    ///   - question: The request, which either refreshes tokens or exchanges the session token.
    ///   - type: The type of access token to request. The server may issue a token of a different type.
    ///   - proof: The DPoP proof for ``tokenURL``.
    /// - Returns: The response, which may be an OAuth error.
    /// - Throws: ``LatchkeyError`` if there is no response, or if the response isn't in the endpoint's
    ///   format.
    func tokens(
        _ question: TokenRequest,
        type: AccessTokenType,
        proof: String
    ) async throws(LatchkeyError) -> OAuthReply<Tokens> {
        var request = question.httpRequest(for: type)
        request.path = server.pathPrefix + request.path
        request.headers[DPoPProof.header] = proof
        let answer = try await exchange(request)
        let nonce = answer.headers[DPoPProof.nonceHeader]
        if answer.status == 200, let body = answer.decoded(as: TokenBody.self),
            let type = AccessTokenType(body.tokenType), body.expiresIn > 0
        {
            return OAuthReply(outcome: .success(Tokens(body: body, type: type)), nonce: nonce)
        }
        if (400...401).contains(answer.status), let body = answer.decoded(as: OAuthErrorBody.self) {
            return OAuthReply(outcome: .failure(TokenRefusal(body, status: answer.status)), nonce: nonce)
        }
        throw LatchkeyError(rejection: answer)
    }
}

/// A response of an endpoint for tokens.
struct OAuthReply<Body: Sendable>: Sendable {
    /// The content of the response, or the error that the endpoint returned.
    let outcome: Result<Body, TokenRefusal>
    /// The nonce that the next proof must contain, or `nil` if the server didn't send one.
    let nonce: String?
}

/// An error response from the token endpoint (RFC 6749, section 5.2).
struct TokenRefusal: Error {
    let code: OAuthErrorBody.Code
    let reason: String?
    let status: Int

    init(_ body: OAuthErrorBody, status: Int) {
        (code, reason, self.status) = (body.error, body.errorDescription, status)
    }
}

extension TokenRefusal: CustomStringConvertible {
    var description: String {
        "The server rejected the token request: \(code.rawValue)\(reason.map { ", " + $0 } ?? "")"
    }
}
