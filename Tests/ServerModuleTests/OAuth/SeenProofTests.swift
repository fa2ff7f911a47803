import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyOAuth
@testable import LatchkeyServerKit

@Suite struct `In-memory replay cache` {
    private let start = Timestamp(seconds: 1_000_000)

    private func proof() throws -> PresentedProof {
        let key = try SigningKey.generate()
        let text = try DPoPProof(method: .post, url: "https://x/y", id: "1", issuedAt: start)
            .signed(jwk: key.publicKey.jwk) { try key.rawSignature(for: $0) }
        return try PresentedProof(HTTP.Request(.post, "/y", headers: ["DPoP": text]))
    }

    @Test func `Proofs are remembered while they are fresh`() throws {
        let seen = DPoPReplayCache()
        let proof = try proof()
        #expect(seen.insert(proof, at: start))
        for seconds in stride(from: 0, through: 360, by: 30) {
            #expect(!seen.insert(proof, at: start + .seconds(seconds)))
        }
        #expect(seen.insert(proof, at: start + .seconds(1200)))
    }

    @Test func `The oldest proofs are forgotten when the cache is full`() throws {
        let seen = DPoPReplayCache(limit: 2)
        let proofs = try (0..<4).map { _ in try proof() }
        for proof in proofs { #expect(seen.insert(proof, at: start)) }
        #expect(!seen.insert(proofs[3], at: start))
        #expect(seen.insert(proofs[0], at: start))
    }
}

@Suite(.onEachDatabase) struct `Replay cache in the database` {
    @Test(arguments: ["refresh", "exchange"])
    func `A copied proof is rejected by all servers that share a database`(_ kind: String) async throws {
        let server = try await OAuthServer()
        let device = try await TokenDevice(server)
        let token = try await device.exchange().refreshToken
        // If the database isn't shared, the server keeps the replay cache in memory and loses it on restart.
        let isShared = TestDatabase.current == .postgreSQL
        let other = device.connected(to: try await server.restarted())
        let request: TokenRequest =
            kind == "refresh" ? .refresh(token) : .exchange(sessionToken: device.opened.token.secret)
        let proof = try device.proof()

        #expect(try await device.send(request, proof: proof).status == 200)
        #expect(try await device.send(request, proof: proof).refusal == .useDPoPNonce)
        let copied = try await other.send(request, proof: proof)
        #expect((copied.refusal == .useDPoPNonce) == isShared)
        // The original device can still send requests to that server.
        #expect(try await other.send(request, proof: try device.proof()).status == 200)
    }

    @Test func `Proofs that are no longer fresh are deleted`() async throws {
        let server = try await OAuthServer()
        let device = try await TokenDevice(server)
        _ = try await device.exchange()
        func count() async throws -> Int { try await server.database.rows("SELECT 1 FROM seen_proofs").count }
        let kept = TestDatabase.current == .postgreSQL ? 1 : 0
        let cleanUp = server.assembly.cleanUp

        #expect(try await count() == kept)
        #expect(try await cleanUp.round()?[.proofs] == 0)
        server.time.advance(by: DPoPReplayCache.window + .seconds(3600))
        #expect(try await cleanUp.round()?[.proofs] == kept)
        #expect(try await count() == 0)
    }

    @Test func `A proof isn't stored if its request is rejected because of the key`() async throws {
        let server = try await OAuthServer()
        let device = try await TokenDevice(server)
        let token = try await device.exchange().refreshToken
        let thief = try device.impersonated()
        let proof = try thief.proof()

        for _ in 0..<2 {
            let answer = try await thief.send(.refresh(token), proof: proof)
            #expect(answer.refusal == .invalidDPoPProof)
        }
    }
}
