import LatchkeyModel
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyOAuth
@testable import LatchkeyServerKit

/// The legitimate sequence of refresh tokens is T0, T1, T2.
@Suite(.onEachDatabase) struct `Refreshing tokens` {
    private let server: OAuthServer
    private let device: TokenDevice

    init() async throws {
        // These tests refresh more often than a client is allowed to.
        server = try await OAuthServer { $0.limits.renewalsPerSession = [] }
        device = try await TokenDevice(server)
    }

    @Test func `Each refresh returns a new pair of tokens`() async throws {
        let pairs = try await device.chain(4)

        #expect(Set(pairs.map(\.refreshToken)).count == 4)
        #expect(Set(pairs.map(\.accessToken)).count == 4)
        for pair in pairs {
            #expect(pair.refreshToken.exposed.hasPrefix("lk_rt_"))
            #expect(pair.tokenType == "Bearer")
            #expect(pair.expiresIn == 600)
            #expect(await server.whoami(pair.accessToken).status == 200)
        }
    }

    @Test(arguments: [Duration.zero, .seconds(11), .seconds(3600), .seconds(29 * 86_400)])
    func `A repeated refresh returns the same token until that token is used`(wait: Duration) async throws {
        let first = try await device.exchange()
        let second = try await device.refresh(first.refreshToken)
        server.time.advance(by: wait)

        let again = try await device.refresh(first.refreshToken)

        #expect(again.refreshToken == second.refreshToken)
        #expect(try await server.used(device.session) == 1)
        _ = try await device.refresh(second.refreshToken)
    }

    @Test func `A session can still be refreshed after many responses in a row were lost`() async throws {
        var token = try await device.exchange().refreshToken
        for _ in 0..<200 {
            let lost = try await device.refresh(token).refreshToken
            let found = try await device.refresh(token).refreshToken
            #expect(found == lost)
            token = found
        }
        #expect(try await server.used(device.session) == 200)
    }

    @Test(arguments: [20, 100, 300], ["newest", "parent"])
    func `All concurrent requests receive the same successor`(callers: Int, kind: String) async throws {
        let token = try await device.exchange().refreshToken
        if kind == "parent" { _ = try await device.refresh(token) }

        let answers = try await withThrowingTaskGroup(of: TokenBody.self) { group in
            for _ in 0..<callers { group.addTask { try await device.refresh(token) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(answers.count == callers)
        #expect(Set(answers.map(\.refreshToken)).count == 1)
        #expect(try await server.used(device.session) == 1)
        _ = try await device.refresh(answers[0].refreshToken)
    }

    @Test func `Refresh tokens stay valid after a restart and after a new secret is added`() async throws {
        let old = [UInt8](repeating: 7, count: 32)
        let new = [UInt8](repeating: 9, count: 32)
        let first = try await device.exchange().refreshToken
        let second = try await device.refresh(first).refreshToken

        let restarted = device.connected(to: try await server.restarted())
        #expect(try await restarted.refresh(first).refreshToken == second)

        let both = try await server.restarted(secrets: ServerSecrets(signing: new, older: [old]))
        let third = try await device.connected(to: both).refresh(second)
        #expect(await both.whoami(third.accessToken).status == 200)

        // Only tokens that were signed with the new secret stay valid.
        let one = device.connected(to: try await server.restarted(secrets: ServerSecrets(signing: new)))
        #expect(try await one.send(.refresh(second)).refusal == .invalidGrant)
        _ = try await one.refresh(third.refreshToken)
    }

    @Test func `Refresh tokens are rejected after the session has ended`() async throws {
        let token = try await device.exchange().refreshToken
        server.time.advance(by: .seconds(30 * 86_400) - .microseconds(1))
        let last = try await device.refresh(token)
        #expect(last.expiresIn <= 1)
        server.time.advance(by: .microseconds(1))

        #expect(try await device.send(.refresh(token)).refusal == .invalidGrant)
        #expect(try await device.send(.refresh(last.refreshToken)).refusal == .invalidGrant)
    }

    @Test func `Refresh tokens are rejected after the identity has been disabled`() async throws {
        let token = try await device.exchange().refreshToken
        try await server.database.transaction {
            _ = try $0.execute("UPDATE identities SET state = 'inactive'")
        }

        #expect(try await device.send(.refresh(token)).refusal == .invalidGrant)
    }

    @Test(arguments: ["newest", "used", "dead", "never given out"])
    func `A refresh with a different key is rejected and leaves the session unchanged`(kind: String)
        async throws
    {
        let pairs = try await device.chain(3)
        let thief = try device.impersonated()
        let codec = RefreshTokenCodec(prefix: "lk_rt_", secrets: server.resources.secrets)
        let token =
            switch kind {
            case "newest": pairs[2].refreshToken
            case "used": pairs[1].refreshToken
            case "dead": pairs[0].refreshToken
            default: codec.write(RefreshToken(session: device.session.id, number: 5))
            }

        #expect(try await thief.send(.refresh(token)).refusal == .invalidDPoPProof)

        #expect(try await server.used(device.session) == 2)
        #expect(try await server.isAlive(device.session))
        _ = try await device.refresh(pairs[2].refreshToken)
    }

    @Test func `A refresh token that was never issued is rejected without affecting the session`()
        async throws
    {
        let pair = try await device.exchange()
        let codec = RefreshTokenCodec(prefix: "lk_rt_", secrets: server.resources.secrets)
        for number: Int64 in [0, 2, 3, 4_294_967_295] {
            let token = codec.write(RefreshToken(session: device.session.id, number: number))
            #expect(try await device.send(.refresh(token)).refusal == .invalidGrant)
        }
        let unknown = codec.write(RefreshToken(session: Identifier(), number: 1))
        #expect(try await device.send(.refresh(unknown)).refusal == .invalidGrant)
        _ = try await device.refresh(pair.refreshToken)
    }

    @Test func `A refresh token from another session is rejected`() async throws {
        let other = try await TokenDevice(server)
        let token = try await other.exchange().refreshToken

        #expect(try await device.send(.refresh(token)).refusal == .invalidDPoPProof)
        _ = try await other.refresh(token)
    }

    @Test func `Tokens that are refreshed during a logout are invalid afterwards`() async throws {
        for _ in 0..<40 {
            let device = try await TokenDevice(server)
            let pair = try await device.exchange()
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<4 { group.addTask { try await device.send(.refresh(pair.refreshToken)) } }
                group.addTask { await server.logOut(device.opened.token.secret) }
                for _ in 0..<4 { group.addTask { try await device.send(.refresh(pair.refreshToken)) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            for answer in answers where answer.status == 200 {
                let late = try answer.pair()
                #expect(await server.whoami(late.accessToken).status == 401)
                #expect(try await device.send(.refresh(late.refreshToken)).refusal == .invalidGrant)
            }
            #expect(answers.filter { $0.status == 204 }.count == 1)
            #expect(answers.allSatisfy { [200, 204, 400].contains($0.status) })
        }
    }
}
