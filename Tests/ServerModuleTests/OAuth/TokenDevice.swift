import LatchkeyCrypto
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyAccounts

/// A device that has a session and a certificate for its key.
struct TokenDevice: Sendable {
    let server: OAuthServer
    let key: SigningKey
    let opened: OpenedSession

    /// Creates a session for a new device and issues a certificate for its key.
    init(_ server: OAuthServer) async throws {
        let key = try SigningKey.generate()
        self.init(server, key, try await server.openSession(certifying: key))
    }

    init(_ server: OAuthServer, _ key: SigningKey, _ opened: OpenedSession) {
        self.server = server
        self.key = key
        self.opened = opened
    }

    /// Returns the same device, connected to a server that was restarted.
    func connected(to server: OAuthServer) -> TokenDevice {
        TokenDevice(server, key, opened)
    }

    /// Returns an attacker's device that uses the same session with a different key.
    func impersonated() throws -> TokenDevice {
        TokenDevice(server, try SigningKey.generate(), opened)
    }

    var session: Session { opened.session }

    /// Returns a proof for the token endpoint.
    func proof(_ change: (inout DPoPProof) -> Void = { _ in }) throws -> String {
        var proof = DPoPProof(
            method: .post,
            url: OAuthServer.url + Route.token,
            id: Identifier().description,
            issuedAt: server.time.now
        )
        change(&proof)
        return try proof.signed(jwk: key.publicKey.jwk) { try key.rawSignature(for: $0) }
    }

    /// Sends a request.
    ///
    /// If no proof is given and the server asks for a nonce, the request is sent again with that nonce, as a
    /// real client would do.
    func send(_ request: HTTP.Request, proof: String? = nil) async throws -> Answer {
        if let proof {
            var request = request
            request.headers[DPoPProof.header] = proof
            return await server.send(request)
        }
        return try await request.answer(at: server.time) { nonce in
            try self.proof { $0.nonce = nonce }
        } from: { request in
            await server.send(request)
        }
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

extension HTTP.Request {
    /// Sends the request with a DPoP proof and returns the response.
    ///
    /// If the server asks for a nonce, the request is sent again with that nonce, as a real client would do.
    ///
    /// - Parameters:
    ///   - time: The server's clock.
    ///   - proof: Creates a proof with the given nonce.
    ///   - server: Sends a request to the server and returns the response.
    /// - Returns: The response to the last request.
    /// - Throws: Any error that `proof` throws.
    func answer(
        at time: VirtualTime,
        proving proof: (String?) throws -> String,
        from server: (HTTP.Request) async -> Answer
    ) async throws -> Answer {
        var request = self
        request.headers[DPoPProof.header] = try proof(nil)
        var answer = await server(request)
        // The request may have to be repeated twice. The nonce must be later than the last use of a token,
        // but while the clock is stopped, the first nonce can have the same timestamp.
        for _ in 0..<2 where answer.refusal == .useDPoPNonce {
            time.advance(by: .microseconds(1))
            request.headers[DPoPProof.header] = try proof(answer.response.headers[DPoPProof.nonceHeader])
            answer = await server(request)
        }
        return answer
    }
}

extension Answer {
    /// Returns the token pair in the response.
    func pair() throws -> TokenBody {
        try #require(status == 200, "\(self["error"]?.text ?? "no pair")")
        #expect(response.headers["Cache-Control"] == "no-store")
        return try JSONCoding.decode(TokenBody.self, from: response.body)
    }

    /// The error code in the response.
    var refusal: OAuthErrorBody.Code? {
        try? JSONCoding.decode(OAuthErrorBody.self, from: response.body).error
    }
}

extension TokenDevice {
    /// Returns the first token pairs of the session.
    ///
    /// Each pair after the first is obtained by refreshing the previous one.
    func chain(_ count: Int) async throws -> [TokenBody] {
        var pairs = [try await exchange()]
        while pairs.count < count { pairs.append(try await refresh(pairs[pairs.count - 1].refreshToken)) }
        return pairs
    }
}
