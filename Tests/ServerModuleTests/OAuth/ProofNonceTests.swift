import LatchkeyCrypto
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyOAuth
@testable import LatchkeyServerKit

@Suite struct `DPoP nonces` {
    private let start = Timestamp(seconds: 1_772_352_000)
    private let nonces = DPoPNonces(secrets: ServerSecrets(signing: [UInt8](repeating: 7, count: 32)))

    @Test(arguments: [
        (-6, false), (-5, true), (0, true), (299, true), (300, false), (1_000_000, false),
    ]) func `A nonce is valid for five minutes`(age: Int, isFresh: Bool) {
        #expect(nonces.isFresh(nonces.issue(at: start), at: start + .seconds(age)) == isFresh)
    }

    @Test func `A nonce is only accepted if the server created it`() throws {
        let nonce = nonces.issue(at: start)
        let bytes = try #require(Base64URL.decode(nonce))
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!nonces.isFresh(Base64URL.encode(changed), at: start))
        }
        for text in ["", "x", nonce + "A", String(nonce.dropLast(2))] {
            #expect(!nonces.isFresh(text, at: start))
        }
    }

    @Test func `A nonce stays valid when a new secret is added`() {
        let old = [UInt8](repeating: 7, count: 32)
        let new = [UInt8](repeating: 9, count: 32)
        let nonce = nonces.issue(at: start)
        #expect(DPoPNonces(secrets: ServerSecrets(signing: new, older: [old])).isFresh(nonce, at: start))
        #expect(!DPoPNonces(secrets: ServerSecrets(signing: new)).isFresh(nonce, at: start))
    }
}
