import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts

/// The legitimate sequence of refresh tokens is T0, T1, T2.
@Suite(.onEachDatabase) struct `Reusing a refresh token` {
    private let server: OAuthServer
    private let device: TokenDevice

    init() async throws {
        server = try await OAuthServer()
        device = try await TokenDevice(server)
    }

    @Test(arguments: [Duration.zero, .seconds(1), .seconds(9), .seconds(11), .seconds(3600)])
    func `Reusing a token ends the session for good if its successor has been used`(wait: Duration)
        async throws
    {
        let pairs = try await device.chain(3)
        server.time.advance(by: wait)

        #expect(try await device.send(.refresh(pairs[0].refreshToken)).refusal == .invalidGrant)
        let ends = try await AuditLog.events(limit: 10, in: server.database).filter {
            $0.action != .tokensIssued
        }
        #expect(ends.map(\.action) == [.tokenReused] && ends.map(\.actor) == [.server])
        #expect(ends.map(\.subject) == [device.session.id.description])

        for pause in [Duration.zero, .seconds(1), .seconds(11), .seconds(3600)] {
            server.time.advance(by: pause)
            for pair in pairs {
                #expect(try await device.send(.refresh(pair.refreshToken)).refusal == .invalidGrant)
                #expect(await server.whoami(pair.accessToken).status == 401)
            }
            #expect(await server.whoami(device.opened.token.secret).status == 401)
            #expect(
                try await device.send(.exchange(sessionToken: device.opened.token.secret)).refusal
                    == .invalidRequest
            )
        }
    }

    @Test(arguments: [nil, Duration.seconds(-60), .zero, .seconds(60)])
    func `A late request with an old token doesn't end the session`(
        clock: Duration?
    )
        async throws
    {
        let pairs = try await device.chain(2)
        let early = try await device.send(.refresh(pairs[0].refreshToken)).response.headers["DPoP-Nonce"]
        let held = try device.proof { proof in
            // The proof contains either the nonce from an earlier response or the time from a clock that may
            // be wrong.
            if let clock { proof.issuedAt = server.time.now + clock } else { proof.nonce = early }
        }
        let third = try await device.refresh(pairs[1].refreshToken)

        let answer = try await device.send(.refresh(pairs[0].refreshToken), proof: held)

        #expect(answer.status == 400)
        #expect(answer.refusal == .useDPoPNonce)
        #expect(answer["refresh_token"] == nil)
        #expect(try await AuditLog.events(limit: 9, in: server.database).map(\.action) == [.tokensIssued])
        _ = try await device.refresh(third.refreshToken)
        #expect(try await server.isAlive(device.session))
    }

    @Test func `Repeating the request with a later nonce ends the session`() async throws {
        let pairs = try await device.chain(3)
        let first = try await device.send(.refresh(pairs[0].refreshToken), proof: device.proof())
        #expect(first.refusal == .useDPoPNonce)
        let nonce = try #require(first.response.headers["DPoP-Nonce"])

        // A nonce that was issued at the exact time at which the successor was first used doesn't prove
        // reuse.
        let same = try device.proof { $0.nonce = nonce }
        #expect(try await device.send(.refresh(pairs[0].refreshToken), proof: same).refusal == .useDPoPNonce)
        #expect(try await server.isAlive(device.session))

        server.time.advance(by: .microseconds(1))
        let later = try await device.send(.refresh(pairs[0].refreshToken), proof: device.proof())
        let last = try device.proof { $0.nonce = later.response.headers["DPoP-Nonce"] }
        #expect(try await device.send(.refresh(pairs[0].refreshToken), proof: last).refusal == .invalidGrant)
        #expect(await server.whoami(device.opened.token.secret).status == 401)
    }

    @Test func `Late requests from the device never end its session`() async throws {
        let pairs = try await device.chain(2)
        let calls = try (0..<300).map { _ in try device.proof() }
        var live = try await device.refresh(pairs[1].refreshToken)
        for call in calls {
            let answer = try await device.send(.refresh(pairs[0].refreshToken), proof: call)
            #expect(answer.refusal == .useDPoPNonce)
        }
        live = try await device.refresh(live.refreshToken)
        #expect(await server.whoami(live.accessToken).status == 200)
    }

    @Test func `Reusing an old token ends the session even right after a legitimate refresh`()
        async throws
    {
        let pairs = try await device.chain(6)
        server.time.advance(by: .seconds(3600))
        let live = try await device.refresh(pairs[5].refreshToken)
        server.time.advance(by: .seconds(2))

        let answer = try await device.send(.refresh(pairs[0].refreshToken))

        #expect(answer.status == 400)
        #expect(answer.refusal == .invalidGrant)
        #expect(answer["refresh_token"] == nil)
        #expect(try await device.send(.refresh(live.refreshToken)).refusal == .invalidGrant)
    }

    @Test func `Reusing a token ends the session even if it races with the legitimate client`()
        async throws
    {
        for _ in 0..<40 {
            let device = try await TokenDevice(server)
            let first = try await device.exchange()
            let second = try await device.refresh(first.refreshToken)
            let third = try await device.refresh(second.refreshToken)
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for token in [third, first, third].map(\.refreshToken) {
                    group.addTask { try await device.send(.refresh(token)) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(answers.contains { $0.refusal != nil })
            // Presenting the token wasn't evidence of theft before its successor was used, but now it is.
            #expect(try await device.send(.refresh(first.refreshToken)).refusal == .invalidGrant)
            #expect(try await !server.isAlive(device.session))
            for answer in answers where answer.status == 200 {
                #expect(await server.whoami(try answer.pair().accessToken).status == 401)
            }
        }
    }
}
