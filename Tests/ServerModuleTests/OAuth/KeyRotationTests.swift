import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyOAuth
@testable import LatchkeyServerKit

@Suite(.onEachDatabase) struct `Rotation of signing keys` {
    private typealias Slot = KeyRotation.Slot
    private let rotation = KeyRotation(
        lifespan: .seconds(30 * 86_400),
        notice: .seconds(86_400),
        afterlife: .seconds(900)
    )

    private static func day(_ day: Int, _ seconds: Int = 0) -> Timestamp {
        Timestamp(seconds: 1_772_352_000) + .seconds(day * 86_400 + seconds)
    }

    private static func slot(_ number: Int64, from day: Timestamp, usable: Bool = true) -> Slot {
        Slot(number: number, signsFrom: day, isUsable: usable)
    }

    static let table: [(name: String, slots: [KeyRotation.Slot], now: Timestamp, plan: KeyRotation.Plan)] = [
        ("nothing yet", [], day(0), .init(next: slot(1, from: day(0)))),
        ("young", [slot(1, from: day(0))], day(28), .init()),
        ("not yet time for notice", [slot(1, from: day(0))], day(29, -1), .init()),
        ("time for notice", [slot(1, from: day(0))], day(29), .init(next: slot(2, from: day(30)))),
        ("asleep for a year", [slot(1, from: day(0))], day(365), .init(next: slot(2, from: day(366)))),
        ("noticed", [slot(1, from: day(0)), slot(2, from: day(30))], day(29, 5), .init()),
        ("just relieved", [slot(1, from: day(0)), slot(2, from: day(30))], day(30, 899), .init()),
        (
            "outlived", [slot(1, from: day(0)), slot(2, from: day(30))], day(30, 900),
            .init(outlived: [1])
        ),
        (
            "both at once", [slot(1, from: day(0)), slot(2, from: day(30))], day(59),
            .init(next: slot(3, from: day(60)), outlived: [1])
        ),
        (
            "secret lost", [slot(1, from: day(0), usable: false)], day(3),
            .init(next: slot(2, from: day(3)))
        ),
        (
            "next one lost", [slot(1, from: day(0)), slot(2, from: day(30), usable: false)], day(31),
            .init()
        ),
    ]

    @Test(arguments: table)
    func `A rotation plan contains the steps that are due at the given time`(
        name: String,
        slots: [KeyRotation.Slot],
        now: Timestamp,
        plan: KeyRotation.Plan
    ) {
        #expect(rotation.plan(slots, at: now) == plan)
        #expect(rotation.plan(slots.reversed(), at: now) == plan)
    }

    @Test func `Tokens are signed with the newest key that is already active`() {
        let slots = [
            Self.slot(1, from: Self.day(0)), Self.slot(2, from: Self.day(30)),
            Self.slot(3, from: Self.day(60), usable: false),
        ]
        #expect(KeyRotation.signing(slots, at: Self.day(30, -1))?.number == 1)
        #expect(KeyRotation.signing(slots, at: Self.day(30))?.number == 2)
        #expect(KeyRotation.signing(slots, at: Self.day(90))?.number == 2)
    }

    @Test func `A key of a node whose clock is ahead is used instead of another new key`() {
        let slots = [
            Self.slot(1, from: Self.day(0), usable: false), Self.slot(2, from: Self.day(0)),
            Self.slot(3, from: Self.day(30)),
        ]
        #expect(KeyRotation.signing(slots, at: Self.day(0, -1))?.number == 2)
        #expect(rotation.plan(slots, at: Self.day(0, -1)) == .init())
        #expect(KeyRotation.signing([slots[0]], at: Self.day(1)) == nil)
    }
}

@Suite(.onEachDatabase) struct `Published key sets` {
    private func keyIDs(_ server: OAuthServer) async throws -> [String] {
        let answer = await server.get(Route.keySet)
        guard case .array(let keys)? = answer["keys"] else { return [] }
        return keys.compactMap { $0["kid"]?.text }
    }

    private func keyID(_ pair: TokenBody) throws -> String? {
        let jws = try #require(CompactJWS(pair.accessToken.exposed))
        return try JSONCoding.decode(JSONValue.self, from: jws.header)["kid"]?.text
    }

    @Test func `The key set contains public keys that other libraries can use`() async throws {
        let server = try await OAuthServer()
        let answer = await server.get(Route.keySet)
        guard case .array(let keys)? = answer["keys"], let key = keys.first else {
            Issue.record("no keys")
            return
        }

        #expect(answer.status == 200)
        #expect(answer.response.headers["Cache-Control"] == "public, max-age=60")
        #expect(Set(key.members?.keys ?? [:].keys) == ["kty", "crv", "x", "y", "use", "alg", "kid"])
        let read = try VerifyingKey(
            x: #require(Base64URL.decode(key["x"]?.text ?? "")),
            y: #require(Base64URL.decode(key["y"]?.text ?? ""))
        )
        #expect(key["kid"]?.text == Base64URL.encode(read.jwkThumbprint))
        let pair = try await TokenDevice(server).exchange()
        #expect(try #require(CompactJWS(pair.accessToken.exposed)).isSigned(by: read))
    }

    @Test func `A key set is cached for an hour only if it has a key for each algorithm`() async throws {
        let server = try await OAuthServer()
        let first = await server.get(Route.keySet)
        #expect(first.response.headers["Cache-Control"] == "public, max-age=60")

        _ = try await server.assembly.tokens.keys.signing(.rs256, at: server.time.now)

        let second = await server.get(Route.keySet)
        #expect(second.response.headers["Cache-Control"] == "public, max-age=3600")
    }

    @Test func `Each key is published from a day before its first use until its tokens have expired`()
        async throws
    {
        let server = try await OAuthServer {
            $0.tokens.accessLifespan = .seconds(7200)
            $0.tokens.keyLifespan = .seconds(4 * 86_400)
        }
        let first = try await keyIDs(server)
        #expect(first.count == 1)
        server.time.advance(by: .seconds(3 * 86_400 - 1))
        #expect(try await keyIDs(server) == first)

        server.time.advance(by: .seconds(3601))
        let both = try await keyIDs(server)
        #expect(both.count == 2)
        #expect(both.first == first.first)

        // Even a key set that was cached for the maximum of an hour contains every key that is used for
        // signing.
        var kept = both
        var signers: [String] = []
        for _ in 0..<(6 * 24) {
            let device = try await TokenDevice(server)
            let pair = try await device.exchange()
            let signer = try #require(try keyID(pair))
            #expect(kept.contains(signer))
            if signers.last != signer { signers.append(signer) }
            #expect(await server.whoami(pair.accessToken).status == 200)
            server.time.advance(by: .seconds(3600))
            #expect(await server.whoami(pair.accessToken).status == 200)
            #expect(try await keyIDs(server).contains(signer))
            kept = try await keyIDs(server)
        }
        #expect(signers == Array(both.prefix(2)) + signers.dropFirst(2))
        #expect(signers.count >= 2)
        #expect(try await !keyIDs(server).contains(first[0]))
    }

    @Test func `The key set is created once, survives restarts and is shared by all nodes`() async throws {
        let server = try await OAuthServer()
        let nodes = try await [
            server.restarted(), server.restarted(), server.restarted(), server.restarted(),
        ]
        let sets = try await withThrowingTaskGroup(of: [String].self) { group in
            for node in nodes { for _ in 0..<5 { group.addTask { try await keyIDs(node) } } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(Set(sets).count == 1)
        #expect(sets[0].count == 1)
        let pair = try await TokenDevice(nodes[0]).exchange()
        #expect(await nodes[1].whoami(pair.accessToken).status == 200)
        #expect(try await keyIDs(server.restarted()) == sets[0])
    }

    @Test func `The key set survives a secret rotation, and losing a key doesn't invalidate tokens`()
        async throws
    {
        let old = [UInt8](repeating: 7, count: 32)
        let new = [UInt8](repeating: 9, count: 32)
        let server = try await OAuthServer()
        let before = try await keyIDs(server)
        let pair = try await TokenDevice(server).exchange()

        let both = try await server.restarted(secrets: ServerSecrets(signing: new, older: [old]))
        #expect(try await keyIDs(both) == before)

        let lost = try await server.restarted(secrets: ServerSecrets(signing: new))
        #expect(try await keyIDs(lost).count == 2)
        #expect(await lost.whoami(pair.accessToken).status == 200)
        let later = try await TokenDevice(lost).exchange()
        #expect(try keyID(later) != before[0])
        #expect(await lost.whoami(later.accessToken).status == 200)
    }

    @Test func `Private keys are stored encrypted`() async throws {
        let server = try await OAuthServer()
        for algorithm in SigningAlgorithm.allCases {
            let key = try await server.assembly.tokens.keys.signing(algorithm, at: server.time.now).key
            // These bytes belong to the private number of either kind of key.
            let start = algorithm == .es256 ? 36 : 320
            let secret = try Array(key.pkcs8()[start..<start + 32])

            let rows = try await server.database.rows(
                "SELECT sealed, public_key FROM signing_keys WHERE alg = $1",
                .text(algorithm.rawValue)
            )

            #expect(rows.count == 1)
            for row in rows {
                #expect(try row.blob(0).firstRange(of: secret) == nil)
                #expect(try row.blob(1) == key.publicKey.der)
            }
        }
    }
}

@Suite struct `Authorization server metadata` {
    @Test func `The metadata lists exactly the endpoints and algorithms that are supported`() async throws {
        let server = try await OAuthServer()
        let answer = await server.get(Route.authorizationServer)
        let members = try #require(answer.body.members)
        let methods: [JSONValue] = ["none", "client_secret_basic", "client_secret_post"]
        let other = await server.get(Route.openIDConfiguration)
        #expect(other.body == answer.body)

        #expect(answer.status == 200)
        #expect(
            members == [
                "issuer": "https://id.example.com",
                "authorization_endpoint": "https://id.example.com/oauth2/auth",
                "pushed_authorization_request_endpoint": "https://id.example.com/oauth2/par",
                "token_endpoint": "https://id.example.com/oauth2/token",
                "revocation_endpoint": "https://id.example.com/oauth2/revoke",
                "userinfo_endpoint": "https://id.example.com/userinfo",
                "jwks_uri": "https://id.example.com/.well-known/jwks.json",
                "grant_types_supported": .array([
                    "urn:ietf:params:oauth:grant-type:token-exchange", "refresh_token", "authorization_code",
                ]),
                "response_types_supported": .array(["code"]),
                "response_modes_supported": .array(["query"]),
                "code_challenge_methods_supported": .array(["S256"]),
                "scopes_supported": .array(["openid", "profile", "email", "phone", "offline_access"]),
                "claims_supported": .array([
                    "sub", "auth_time", "acr", "amr", "nonce", "sid", "at_hash", "name", "given_name",
                    "family_name", "nickname", "birthdate", "locale", "email", "email_verified",
                    "phone_number", "phone_number_verified", "updated_at",
                ]),
                "subject_types_supported": .array(["public"]),
                "id_token_signing_alg_values_supported": .array(["RS256", "ES256"]),
                "prompt_values_supported": .array(["none", "login", "consent", "create", "select_account"]),
                "acr_values_supported": .array(["aal1", "aal2"]),
                "ui_locales_supported": .array(["en", "nb", "sv", "fi"]),
                "token_endpoint_auth_methods_supported": .array(methods),
                "revocation_endpoint_auth_methods_supported": .array(methods),
                "dpop_signing_alg_values_supported": .array(["ES256"]),
                "authorization_response_iss_parameter_supported": true,
                "claims_parameter_supported": false, "request_parameter_supported": false,
                "request_uri_parameter_supported": false,
                "require_pushed_authorization_requests": false,
            ]
        )
        for name in ["token_endpoint", "revocation_endpoint", "jwks_uri"] {
            let path = try #require(members[name]?.text).dropFirst(OAuthServer.url.count)
            #expect(await server.get(String(path)).status != 404)
        }
    }
}
