import Dispatch
import LatchkeyCrypto
import LatchkeyModel
import Testing

@Suite struct `Public keys read from a point` {
    private struct Signed {
        let key: SigningKey
        let signature: [UInt8]
        let message: [UInt8]

        init() throws {
            key = try SigningKey.generate()
            message = SystemRandom().bytes(40)
            signature = try key.rawSignature(for: message)
        }
    }

    private func read(_ key: VerifyingKey) throws -> VerifyingKey {
        try VerifyingKey(der: key.der)
    }

    @Test func `A key only verifies its own signatures, even after other keys were used`() throws {
        let signed = try (0..<8).map { _ in try Signed() }
        for _ in 0..<20 {
            for (index, own) in signed.enumerated() {
                let other = signed[(index + 1) % signed.count]
                // Each key is released before the next one is read.
                #expect(try read(own.key.publicKey).isValid(raw: own.signature, for: own.message))
                #expect(try !read(other.key.publicKey).isValid(raw: own.signature, for: own.message))
            }
        }
    }

    @Test func `A key does not change while other threads create and release keys`() async throws {
        let signed = try (0..<16).map { _ in try Signed() }
        let kept = try signed.map { try read($0.key.publicKey) }
        let failures = Locked(0)
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "keys").async {
                DispatchQueue.concurrentPerform(iterations: 8) { thread in
                    for round in 0..<200 {
                        let own = signed[(thread + round) % signed.count]
                        let fresh = try? VerifyingKey(der: own.key.publicKey.der)
                        let old = kept[(thread + round) % kept.count]
                        if fresh?.isValid(raw: own.signature, for: own.message) != true
                            || !old.isValid(raw: own.signature, for: own.message)
                        {
                            failures.withLock { $0 += 1 }
                        }
                    }
                }
                continuation.resume()
            }
        }
        #expect(failures.withLock { $0 } == 0)
    }

    @Test func `Reading an invalid point does not affect keys that are read later`() throws {
        let signed = try Signed()
        for _ in 0..<100 {
            #expect(throws: CryptoError.self) {
                try VerifyingKey(x: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 1, count: 32))
            }
            #expect(try read(signed.key.publicKey).isValid(raw: signed.signature, for: signed.message))
        }
    }
}
