import LatchkeyCrypto
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyServerCore

@Suite struct `Proofs that were seen` {
    private let start = Timestamp(seconds: 1_000_000)

    private func proof() throws -> PresentedProof {
        let key = try SigningKey.generate()
        let text = try DPoPProof(method: .post, url: "https://x/y", id: "1", issuedAt: start)
            .signed(jwk: key.publicKey.jwk) { try key.rawSignature(for: $0) }
        return try PresentedProof(HTTPRequest(.post, "/y", headers: ["DPoP": text]))
    }

    @Test func `are remembered for as long as they are fresh`() throws {
        let seen = SeenProofs()
        let proof = try proof()
        #expect(seen.insert(proof, at: start))
        for seconds in stride(from: 0, through: 360, by: 30) {
            #expect(!seen.insert(proof, at: start + .seconds(seconds)))
        }
        #expect(seen.insert(proof, at: start + .seconds(1200)))
    }

    @Test func `are forgotten in their order when there are too many`() throws {
        let seen = SeenProofs(limit: 2)
        let proofs = try (0..<4).map { _ in try proof() }
        for proof in proofs { #expect(seen.insert(proof, at: start)) }
        #expect(!seen.insert(proofs[3], at: start))
        #expect(seen.insert(proofs[0], at: start))
    }
}
