import LatchkeyCrypto
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyAccounts

/// A device with a certified key and a session.
struct TokenDevice: Sendable {
    let server: OAuthServer
    let key: SigningKey
    let opened: OpenedSession

    /// Opens a session whose device is certified.
    init(_ server: OAuthServer) async throws {
        let key = try SigningKey.generate()
        self.init(server, key, try await server.openSession(certifying: key))
    }

    init(_ server: OAuthServer, _ key: SigningKey, _ opened: OpenedSession) {
        self.server = server
        self.key = key
        self.opened = opened
    }

    /// Returns the same device as a client of a restarted server.
    func connected(to server: OAuthServer) -> TokenDevice {
        TokenDevice(server, key, opened)
    }

    /// Returns a thief's device, which has the same session but a different key.
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
    /// If no proof is given and the server demands a nonce, the request is repeated with the nonce, as
    /// clients do.
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
    /// Sends the request with a DPoP proof.
    ///
    /// If the server demands a nonce, the request is repeated with it, as clients do.
    ///
    /// - Parameters:
    ///   - time: The clock of the server.
    ///   - proof: Returns a proof with a nonce.
    ///   - server: Returns the response to a request.
    /// - Returns: The last response.
    /// - Throws: An error of `proof`.
    func answer(
        at time: VirtualTime,
        proving proof: (String?) throws -> String,
        from server: (HTTP.Request) async -> Answer
    ) async throws -> Answer {
        var request = self
        request.headers[DPoPProof.header] = try proof(nil)
        var answer = await server(request)
        // Two repetitions may be needed, because on a stopped clock, the first nonce can be issued at the
        // same time as the use of a token that it must postdate.
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
    /// Returns the first token pairs of the session, each of which was obtained with the previous one.
    func chain(_ count: Int) async throws -> [TokenBody] {
        var pairs = [try await exchange()]
        while pairs.count < count { pairs.append(try await refresh(pairs[pairs.count - 1].refreshToken)) }
        return pairs
    }
}
