import LatchkeyCrypto
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyServerCore

/// A device with a certified key and a session, that asks for token pairs.
struct TokenDevice: Sendable {
    let server: TokenServer
    let key: SigningKey
    let opened: OpenedSession

    /// Opens a session whose device is certified.
    init(_ server: TokenServer) async throws {
        let key = try SigningKey.generate()
        self.init(server, key, try await server.openSession(certifying: key))
    }

    init(_ server: TokenServer, _ key: SigningKey, _ opened: OpenedSession) {
        self.server = server
        self.key = key
        self.opened = opened
    }

    /// The same device in front of a server after a restart.
    func facing(_ server: TokenServer) -> TokenDevice {
        TokenDevice(server, key, opened)
    }

    /// A thief: the same session in other hands.
    func impersonated() throws -> TokenDevice {
        TokenDevice(server, try SigningKey.generate(), opened)
    }

    var session: Session { opened.session }

    /// A proof for the token endpoint.
    func proof(_ change: (inout DPoPProof) -> Void = { _ in }) throws -> String {
        var proof = DPoPProof(
            method: .post,
            url: TokenServer.url + Route.token,
            id: Identifier().description,
            issuedAt: server.time.now
        )
        change(&proof)
        return try proof.signed(jwk: key.publicKey.jwk) { try key.rawSignature(for: $0) }
    }

    /// Sends a request; one without a proof given is repeated with a nonce when the server wants one, as clients do.
    func send(_ request: HTTPRequest, proof: String? = nil) async throws -> Answer {
        var request = request
        request.headers[DPoPProof.header] = try proof ?? self.proof()
        var answer = await server.send(request)
        // Twice, for on a clock that stands a nonce can be as old as the use that it must be younger than.
        for _ in 0..<2 where proof == nil && answer.refusal == .useDPoPNonce {
            server.time.advance(by: .microseconds(1))
            request.headers[DPoPProof.header] = try self.proof {
                $0.nonce = answer.response.headers[DPoPProof.nonceHeader]
            }
            answer = await server.send(request)
        }
        return answer
    }

    func send(_ request: TokenRequest, proof: String? = nil) async throws -> Answer {
        try await send(request.httpRequest, proof: proof)
    }

    func exchange() async throws -> TokenBody {
        try await send(.exchange(sessionToken: opened.token.secret)).pair()
    }

    func refresh(_ token: Secret) async throws -> TokenBody {
        try await send(.refresh(token)).pair()
    }
}

extension Answer {
    /// The pair that the answer brings.
    func pair() throws -> TokenBody {
        try #require(status == 200, "\(self["error"]?.text ?? "no pair")")
        #expect(response.headers["Cache-Control"] == "no-store")
        return try JSONCoding.decode(TokenBody.self, from: response.body)
    }

    /// The refusal that the answer brings.
    var refusal: OAuthErrorBody.Code? {
        try? JSONCoding.decode(OAuthErrorBody.self, from: response.body).error
    }
}

extension TokenDevice {
    /// The first tokens of the session, each got with the one before it.
    func chain(_ count: Int) async throws -> [TokenBody] {
        var pairs = [try await exchange()]
        while pairs.count < count { pairs.append(try await refresh(pairs[pairs.count - 1].refreshToken)) }
        return pairs
    }
}
