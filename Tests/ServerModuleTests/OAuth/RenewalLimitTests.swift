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

@Suite(.onEachDatabase) struct `Limit on token renewals` {
    private let server: OAuthServer
    private let device: TokenDevice

    init() async throws {
        server = try await OAuthServer()
        device = try await TokenDevice(server)
    }

    private func proofCount() async throws -> Int {
        try await server.database.rows("SELECT 1 FROM seen_proofs").count
    }

    @Test(arguments: [true, false])
    func `A session's tokens can be renewed sixty times a minute`(followsTokens: Bool) async throws {
        var token = try await device.exchange().refreshToken
        let others = try await TokenDevice(server)
        let other = try await others.exchange().refreshToken
        for _ in 0..<60 {
            let next = try await device.refresh(token).refreshToken
            if followsTokens { token = next }
        }
        let before = try await proofCount()
        let refused = try await device.send(.refresh(token), proof: try device.proof())
        #expect(refused.status == 429)
        #expect(refused.response.headers["Retry-After"] == "60")
        // A rejected renewal isn't stored, and the other sessions aren't affected.
        #expect(try await proofCount() == before)
        _ = try await others.refresh(other)
        server.time.advance(by: .seconds(60))
        _ = try await device.refresh(token)
    }

    @Test(arguments: ["unknown", "foreign", "expired"])
    func `A proof is only stored if the token is valid`(_ kind: String) async throws {
        var token = try await device.exchange().refreshToken
        let other = try await TokenDevice(server)
        let before = try await proofCount()
        switch kind {
        case "unknown": token = "lk_rt_unknown" as Secret
        case "foreign": break
        default: server.time.advance(by: .seconds(400 * 86_400))
        }
        let sender = kind == "foreign" ? other : device
        let proof = try sender.proof()
        let refused = try await sender.send(.refresh(token), proof: proof)
        #expect(refused.status == 400)
        #expect(try await proofCount() == before)
        if kind == "expired" { return }
        // The proof can still be used.
        let own = try await sender.exchange().refreshToken
        #expect(try await sender.send(.refresh(own), proof: proof).status == 200)
    }
}
