import LatchkeyModel
import LatchkeyWire

extension IdentityAPI {
    /// What the token endpoint says.
    struct TokenReply {
        let outcome: Result<TokenBody, TokenRefusal>
        /// What the next proof is to repeat.
        let nonce: String?
    }

    /// The URL that proofs for the token endpoint are made for.
    var tokenURL: String {
        server.origin + server.pathPrefix + Route.token
    }

    /// Asks the token endpoint (RFC 6749, section 6; RFC 8693; RFC 9449).
    ///
    /// - Throws: ``LatchkeyError`` when there is no answer, or none that has the endpoint's form.
    func tokens(_ question: TokenRequest, proof: String) async throws(LatchkeyError) -> TokenReply {
        var request = question.httpRequest
        request.path = server.pathPrefix + request.path
        request.headers[DPoPProof.header] = proof
        let answer = try await exchange(request)
        let nonce = answer.headers[DPoPProof.nonceHeader]
        if answer.status == 200, let body = try? JSONCoding.decode(TokenBody.self, from: answer.body),
            body.tokenType.lowercased() == "bearer", body.expiresIn > 0
        {
            return TokenReply(outcome: .success(body), nonce: nonce)
        }
        if (400...401).contains(answer.status),
            let body = try? JSONCoding.decode(OAuthErrorBody.self, from: answer.body)
        {
            return TokenReply(outcome: .failure(TokenRefusal(body)), nonce: nonce)
        }
        guard answer.status == 200 else { throw LatchkeyError(refusal: ServerRefusal(decoding: answer)) }
        throw .unexpected(answer)
    }
}

/// What the token endpoint said when it refused (RFC 6749, section 5.2).
struct TokenRefusal: Error {
    let code: OAuthErrorBody.Code
    let reason: String?

    init(_ body: OAuthErrorBody) {
        (code, reason) = (body.error, body.errorDescription)
    }
}

extension TokenRefusal: CustomStringConvertible {
    var description: String {
        "The server gives no tokens: \(code.rawValue)\(reason.map { ", " + $0 } ?? "")"
    }
}
