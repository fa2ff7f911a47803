import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyOAuth
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Signing keys for RS256` {
    private let server: OAuthServer

    init() async throws {
        server = try await OAuthServer { $0.tokens.keyLifespan = .seconds(4 * 86_400) }
    }

    private func keys(_ server: OAuthServer) -> SigningKeyRing { server.assembly.tokens.keys }

    /// Returns the members of the published keys.
    private func published(by server: OAuthServer) async throws -> [JSONValue] {
        guard case .array(let keys)? = await server.get(Route.keySet)["keys"] else { return [] }
        return keys
    }

    private func kinds(_ server: OAuthServer) async throws -> [String] {
        try await published(by: server).compactMap { $0["kty"]?.text }
    }

    /// Changes clients and waits until the server has reacted.
    private func administer(_ method: HTTP.Method, _ path: String, _ body: String, status: Int) async {
        let answer = await server.administer(method, path, body)
        #expect(answer.status == status)
        await keys(server).stop()
    }

    /// Signs a payload with RS256, and returns the token and the `kid` in its header.
    private func signed(by server: OAuthServer) async throws -> (token: Secret, keyID: String) {
        let token = try await keys(server).sign(
            Array("{}".utf8),
            type: "JWT",
            algorithm: .rs256,
            at: server.time.now
        )
        let jws = try #require(CompactJWS(token.exposed))
        let header = try JSONCoding.decode(JSONValue.self, from: jws.header)
        #expect(header["alg"]?.text == "RS256")
        #expect(header["typ"]?.text == "JWT")
        return (token, try #require(header["kid"]?.text))
    }

    private func verifies(_ server: OAuthServer, token: Secret) async throws -> Bool {
        try await keys(server).verified(token, type: "JWT", at: server.time.now) != nil
    }

    @Test(arguments: [
        #"{"client_id": "shop", "id_token_signed_response_alg": "ES256"}"#,
        #"{"client_id": "shop", "scope": "offline_access"}"#,
    ])
    func `A server that needs no RSA key never generates one`(client: String) async throws {
        await administer(.post, "/admin/clients", client, status: 201)
        await administer(.put, "/admin/clients/shop", client, status: 200)
        for _ in 0..<30 {
            _ = try await TokenDevice(server).exchange()
            #expect(try await kinds(server).allSatisfy { $0 == "EC" })
            server.time.advance(by: .seconds(86_400))
            await keys(server).stop()
        }
        let rows = try await server.database.rows("SELECT 1 FROM signing_keys WHERE alg = 'RS256'")
        #expect(rows.isEmpty)
    }

    @Test func `Registering a client without an algorithm publishes an RSA key after the EC key`()
        async throws
    {
        #expect(try await kinds(server) == ["EC"])
        await administer(.post, "/admin/clients", #"{"client_id": "shop"}"#, status: 201)

        let found = try await published(by: server)

        #expect(found.map { $0["kty"]?.text } == ["EC", "RSA"])
        #expect(found.map { $0["alg"]?.text } == ["ES256", "RS256"])
        #expect(Set(found[1].members?.keys ?? [:].keys) == ["kty", "n", "e", "use", "alg", "kid"])
        #expect(found[1]["use"]?.text == "sig")
        #expect(found[1]["e"]?.text == "AQAB")
        let key = try RSAVerifyingKey(
            modulus: #require(Base64URL.decode(found[1]["n"]?.text ?? "")),
            exponent: [1, 0, 1]
        )
        #expect(found[1]["kid"]?.text == Base64URL.encode(JWSVerifyingKey.rs256(key).jwkThumbprint))
        let (token, keyID) = try await signed(by: server)
        #expect(keyID == found[1]["kid"]?.text)
        #expect(try #require(CompactJWS(token.exposed)).isSigned(by: .rs256(key)))
    }

    @Test func `Changing a client to RS256 generates an RSA key, but deleting the client again doesn't`()
        async throws
    {
        await administer(
            .post,
            "/admin/clients",
            #"{"client_id": "shop", "id_token_signed_response_alg": "ES256"}"#,
            status: 201
        )
        await administer(
            .patch,
            "/admin/clients/shop",
            #"[{"op": "replace", "path": "/id_token_signed_response_alg", "value": "RS256"}]"#,
            status: 200
        )
        #expect(try await kinds(server) == ["EC", "RSA"])
        await administer(.delete, "/admin/clients/shop", "", status: 204)

        // After a restart, the server only knows the clients in the database.
        let restarted = try await server.restarted { $0.tokens.keyLifespan = .seconds(4 * 86_400) }
        for _ in 0..<10 {
            server.time.advance(by: .seconds(86_400))
            #expect(try await kinds(restarted).filter { $0 == "RSA" }.count == 1)
            await keys(restarted).stop()
        }
        let (token, _) = try await signed(by: restarted)
        #expect(try await verifies(restarted, token: token))
    }

    @Test func `Tasks that need the first RSA key wait for one generation`() async throws {
        #expect(try await kinds(server) == ["EC"])
        let work = try await server.database.work {
            let ids = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 { group.addTask { try await signed(by: server).keyID } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(ids.count == 20)
            #expect(Set(ids).count == 1)
        }
        #expect(work.count { $0.hasPrefix("INSERT INTO signing_keys") } == 1)
        #expect(try await kinds(server) == ["EC", "RSA"])
    }

    @Test func `Nodes that need an RSA key at the same time use the same one`() async throws {
        let nodes = try await [server.restarted(), server.restarted(), server.restarted()]
        for node in nodes { #expect(try await kinds(node) == ["EC"]) }
        let ids = try await withThrowingTaskGroup(of: String.self) { group in
            for node in nodes { group.addTask { try await signed(by: node).keyID } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ids.count == 3)
        #expect(Set(ids).count == 1)
        for node in nodes { #expect(try await kinds(node) == ["EC", "RSA"]) }
    }

    @Test func `Another node knows a new RSA key after ten seconds`() async throws {
        let other = try await server.restarted()
        #expect(try await kinds(other) == ["EC"])
        let (token, _) = try await signed(by: server)

        #expect(try await !verifies(other, token: token))
        server.time.advance(by: .seconds(10))
        #expect(try await verifies(other, token: token))
        #expect(try await kinds(other) == ["EC", "RSA"])
    }

    @Test func `A node whose clock is behind uses the other node's new RSA key`() async throws {
        let (_, keyID) = try await signed(by: server)
        server.time.stepWallClock(by: .seconds(-5))
        let other = try await server.restarted()
        #expect(try await signed(by: other).keyID == keyID)
        #expect(try await signed(by: server).keyID == keyID)
    }

    @Test func `RSA keys are published for a day before they are used and until their tokens expire`()
        async throws
    {
        await administer(.post, "/admin/clients", #"{"client_id": "shop"}"#, status: 201)
        let (first, firstID) = try await signed(by: server)
        var known: Set<String> = []
        var signers: [String] = []
        for step in 0..<(10 * 8) {
            let (token, keyID) = try await signed(by: server)
            // A day earlier, the key was published, except the first one.
            #expect(step == 0 || known.contains(keyID))
            if signers.last != keyID { signers.append(keyID) }
            known.formUnion(try await published(by: server).compactMap { $0["kid"]?.text })
            await keys(server).stop()
            server.time.advance(by: .seconds(600))
            #expect(try await verifies(server, token: token))
            server.time.advance(by: .seconds(3 * 3600 - 600))
        }
        #expect(signers.first == firstID)
        #expect(Set(signers).count == signers.count)
        #expect(signers.count == 3)
        #expect(try await !verifies(server, token: first))
    }

    @Test func `An RSA key survives a secret rotation, and losing the secret leads to a new key`()
        async throws
    {
        let old = [UInt8](repeating: 7, count: 32)
        let new = [UInt8](repeating: 9, count: 32)
        let (token, keyID) = try await signed(by: server)

        let both = try await server.restarted(secrets: ServerSecrets(signing: new, older: [old]))
        #expect(try await signed(by: both).keyID == keyID)

        let lost = try await server.restarted(secrets: ServerSecrets(signing: new))
        let (later, laterID) = try await signed(by: lost)
        #expect(laterID != keyID)
        #expect(try await verifies(lost, token: token))
        #expect(try await verifies(lost, token: later))
    }
}

@Suite(.onEachDatabase) struct `Algorithms of signed tokens` {
    /// A way to create the signature of a token.
    enum Signer: Sendable {
        case ec, rsa, otherEC, otherRSA
        /// HMAC-SHA256 with the public key as the secret.
        case secret(SigningAlgorithm, isDER: Bool)
    }

    /// A header and a signature, and whether the token is accepted.
    ///
    /// In the header, `EC` and `RSA` are replaced with the ids of the keys.
    struct Attempt: Sendable, CustomTestStringConvertible {
        let header: String
        let signer: Signer
        var isAccepted = false

        var testDescription: String { "\(header) by \(signer)" }

        init(_ header: String, by signer: Signer, isAccepted: Bool = false) {
            (self.header, self.signer, self.isAccepted) = (header, signer, isAccepted)
        }
    }

    static let attempts: [Attempt] = [
        Attempt(#""alg":"ES256","kid":"EC""#, by: .ec, isAccepted: true),
        Attempt(#""alg":"RS256","kid":"RSA""#, by: .rsa, isAccepted: true),
        Attempt(#""alg":"ES256","kid":"RSA""#, by: .rsa),
        Attempt(#""alg":"ES256","kid":"RSA""#, by: .ec),
        Attempt(#""alg":"ES256","kid":"EC""#, by: .rsa),
        Attempt(#""alg":"RS256","kid":"EC""#, by: .ec),
        Attempt(#""alg":"RS256","kid":"EC""#, by: .rsa),
        Attempt(#""alg":"RS256","kid":"RSA""#, by: .ec),
        Attempt(#""alg":"ES256","kid":"EC""#, by: .otherEC),
        Attempt(#""alg":"RS256","kid":"RSA""#, by: .otherRSA),
        Attempt(#""alg":"HS256","kid":"EC""#, by: .secret(.es256, isDER: true)),
        Attempt(#""alg":"HS256","kid":"EC""#, by: .secret(.es256, isDER: false)),
        Attempt(#""alg":"HS256","kid":"RSA""#, by: .secret(.rs256, isDER: true)),
        Attempt(#""alg":"HS256","kid":"RSA""#, by: .secret(.rs256, isDER: false)),
        Attempt(#""alg":"RS256","kid":"RSA""#, by: .secret(.rs256, isDER: true)),
        Attempt(#""alg":"none","kid":"EC""#, by: .ec),
        Attempt(#""alg":"None","kid":"RSA""#, by: .rsa),
        Attempt(#""alg":"es256","kid":"EC""#, by: .ec),
        Attempt(#""alg":"PS256","kid":"RSA""#, by: .rsa),
        Attempt(#""alg":"RS512","kid":"RSA""#, by: .rsa),
        Attempt(#""alg":["RS256"],"kid":"RSA""#, by: .rsa),
        Attempt(#""alg":"RS256","alg":"RS256","kid":"RSA""#, by: .rsa),
        Attempt(#""kid":"RSA""#, by: .rsa),
        Attempt(#""alg":"RS256""#, by: .rsa),
        Attempt(#""alg":"RS256","kid":"other""#, by: .rsa),
        Attempt(#""alg":"RS256","kid":"RSA","crit":["exp"]"#, by: .rsa),
        Attempt(#""alg":"ES256","kid":"EC","b64":true,"crit":["b64"]"#, by: .ec),
    ]

    private let server: OAuthServer
    private let keys: SigningKeyRing

    init() async throws {
        server = try await OAuthServer()
        keys = server.assembly.tokens.keys
    }

    private func token(_ attempt: Attempt, type: String, payload: [UInt8]) async throws -> Secret {
        let ec = try await keys.signing(.es256, at: server.time.now).key
        let rsa = try await keys.signing(.rs256, at: server.time.now).key
        let members = attempt.header
            .replacing(#""EC""#, with: #""\#(Base64URL.encode(ec.publicKey.jwkThumbprint))""#)
            .replacing(#""RSA""#, with: #""\#(Base64URL.encode(rsa.publicKey.jwkThumbprint))""#)
        let header = Array(#"{"typ":"\#(type)",\#(members)}"#.utf8)
        switch attempt.signer {
        case .ec: return try CompactJWS.sign(payload, header: header, with: ec)
        case .rsa: return try CompactJWS.sign(payload, header: header, with: rsa)
        case .otherEC: return try CompactJWS.sign(payload, header: header, with: .es256(.generate()))
        case .otherRSA: return try CompactJWS.sign(payload, header: header, with: .rs256(.generate()))
        case .secret(let algorithm, let isDER):
            let key = (algorithm == .es256 ? ec : rsa).publicKey
            let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
            let code = HMACKey(bytes: isDER ? key.der : Array(key.jwk.utf8))
                .authenticate(Array(input.utf8))
            return Secret(input + "." + Base64URL.encode(code))
        }
    }

    @Test(arguments: attempts)
    func `A token is only accepted with the algorithm of the key that it names`(attempt: Attempt)
        async throws
    {
        let token = try await token(attempt, type: "JWT", payload: Array(#"{"sub":"1"}"#.utf8))

        let payload = try await keys.verified(token, type: "JWT", at: server.time.now)

        #expect((payload?["sub"] == .string("1")) == attempt.isAccepted)
        #expect((payload != nil) == attempt.isAccepted)
    }

    @Test(arguments: attempts) func `An access token is only accepted with ES256`(attempt: Attempt)
        async throws
    {
        let issued = try await TokenDevice(server).exchange().accessToken
        let payload = try #require(CompactJWS(issued.exposed)).payload

        let token = try await token(attempt, type: "at+jwt", payload: payload)

        let isAccepted = attempt.isAccepted && attempt.header.contains("ES256")
        #expect(await server.whoami(token).status == (isAccepted ? 200 : 401))
    }

    @Test func `A token without a signature is rejected`() async throws {
        let keyID = Base64URL.encode(try await keys.signing(at: server.time.now).key.publicKey.jwkThumbprint)
        for algorithm in ["none", "ES256", "RS256"] {
            let header = #"{"typ":"JWT","alg":"\#(algorithm)","kid":"\#(keyID)"}"#
            let token = Secret(Base64URL.encode(Array(header.utf8)) + ".e30.")
            #expect(try await keys.verified(token, type: "JWT", at: server.time.now) == nil)
        }
    }

    /// The type in the header, the expected type, and whether the token is accepted.
    @Test(arguments: [
        ("JWT", "JWT", true), ("jwt", "JWT", true), ("at+jwt", "JWT", false), ("JWT", "at+jwt", false),
        ("JWT", nil, false),
    ])
    func `A token is only accepted with the expected type`(found: String, type: String?, isAccepted: Bool)
        async throws
    {
        for algorithm in SigningAlgorithm.allCases {
            let token = try await keys.sign(
                Array("{}".utf8),
                type: found,
                algorithm: algorithm,
                at: server.time.now
            )
            let payload = try await keys.verified(token, type: type, at: server.time.now)
            #expect((payload != nil) == isAccepted)
            for expected in SigningAlgorithm.allCases {
                let payload = try await keys.verified(
                    token,
                    type: type,
                    algorithm: expected,
                    at: server.time.now
                )
                #expect((payload != nil) == (isAccepted && expected == algorithm))
            }
        }
    }

    @Test(arguments: ["[]", "1", "", "{"]) func `A payload that isn't an object is rejected`(payload: String)
        async throws
    {
        let token = try await keys.sign(Array(payload.utf8), type: "JWT", at: server.time.now)
        #expect(try await keys.verified(token, type: "JWT", at: server.time.now) == nil)
    }
}
