import LatchkeyCrypto
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyServerKit

@Suite(.onEachDatabase) struct `Token exchange` {
    private let server: OAuthServer
    private let device: TokenDevice

    init() async throws {
        server = try await OAuthServer()
        device = try await TokenDevice(server)
    }

    @Test func `The response has the format defined in RFC 8693`() async throws {
        let answer = try await device.send(.exchange(sessionToken: device.opened.token.secret))

        #expect(answer.status == 200)
        #expect(answer["issued_token_type"]?.text == "urn:ietf:params:oauth:token-type:access_token")
        #expect(answer["token_type"]?.text == "Bearer")
        #expect(answer["expires_in"] == .integer(600))
        #expect(answer["scope"] == nil)
        #expect(answer.response.headers["Content-Type"]?.hasPrefix("application/json") == true)
        #expect(answer.response.headers["DPoP-Nonce"] != nil)
        _ = try answer.pair()
    }

    @Test func `Exchanges return the same refresh token until it is used, and its successor afterwards`()
        async throws
    {
        let first = try await device.exchange()
        let again = try await device.exchange()
        #expect(again.refreshToken == first.refreshToken)
        #expect(again.accessToken != first.accessToken)

        // A client that lost the response can repeat the exchange to get the same token.
        let second = try await device.refresh(first.refreshToken)
        #expect(try await device.exchange().refreshToken == second.refreshToken)
        _ = try await device.refresh(second.refreshToken)
        #expect(try await server.used(device.session) == 2)
    }

    @Test func `Concurrent requests create only one token family`() async throws {
        let answers = try await withThrowingTaskGroup(of: TokenBody.self) { group in
            for _ in 0..<300 { group.addTask { try await device.exchange() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(answers.count == 300)
        #expect(Set(answers.map(\.refreshToken)).count == 1)
        #expect(try await server.database.rows("SELECT 1 FROM token_families").count == 1)
    }

    @Test func `Each session has its own token family`() async throws {
        let other = try await TokenDevice(server)
        let mine = try await device.exchange()
        let theirs = try await other.exchange()

        #expect(mine.refreshToken != theirs.refreshToken)
        _ = await server.logOut(other.opened.token.secret)
        _ = try await device.refresh(mine.refreshToken)
    }

    @Test(arguments: [
        "unknown", "revoked", "expired", "disabled", "provisional", "uncertified", "taken back",
        "access token",
    ])
    func `An exchange requires an active session with a certificate`(kind: String) async throws {
        let key = try SigningKey.generate()
        let certified = kind == "uncertified" ? nil : key
        let opened = try await server.openSession(
            certifying: certified,
            needsCertificate: kind == "provisional"
        )
        let device = TokenDevice(server, key, opened)
        var token = opened.token.secret
        switch kind {
        case "unknown": token = "lk_st_unknown"
        case "revoked": _ = await server.logOut(token)
        case "expired": server.time.advance(by: .seconds(30 * 86_400))
        case "disabled":
            try await server.database.transaction {
                _ = try $0.execute("UPDATE identities SET state = 'inactive'")
            }
        case "taken back":
            try await server.database.transaction {
                _ = try $0.execute("UPDATE certificates SET revoked_at = 1")
            }
        case "access token": token = try await device.exchange().accessToken
        default: break
        }

        let answer = try await device.send(.exchange(sessionToken: token))

        // According to RFC 8693, section 2.2.2, an invalid subject token makes the whole request invalid.
        #expect(answer.status == 400)
        #expect(answer.refusal == .invalidRequest)
        #expect(!"\(answer)".contains(token.exposed))
    }

    @Test func `An exchange with a different key is rejected and has no effect`() async throws {
        let thief = try device.impersonated()

        #expect(
            try await thief.send(.exchange(sessionToken: device.opened.token.secret)).refusal
                == .invalidDPoPProof
        )

        #expect(try await server.used(device.session) == nil)
        #expect(try await server.isAlive(device.session))
    }

    @Test func `An exchange is rejected once the certificate has been revoked`() async throws {
        let pair = try await device.exchange()
        let revocation = CertificateRevocation(database: server.database, time: server.time)
        #expect(try await revocation.revoke(SerialNumber(bytes: [1] + device.session.id.bytes)))

        #expect(try await device.send(.refresh(pair.refreshToken)).refusal == .invalidGrant)
        #expect(await server.whoami(pair.accessToken).status == 401)
    }
}
