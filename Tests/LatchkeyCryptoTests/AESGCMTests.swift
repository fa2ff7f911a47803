import LatchkeyCrypto
import LatchkeyModel
import Testing

/// A random source that returns the same bytes each time.
private struct FixedBytes: RandomSource {
    let given: [UInt8]

    func bytes(_ count: Int) -> [UInt8] { given }
}

@Suite struct `AES-256-GCM` {
    struct Vector: Sendable {
        let key: String
        let nonce: String
        let message: String
        let context: String
        let sealed: String
    }

    private static let longKey = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
    private static let longMessage = """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525
        b16aedf5aa0de657ba637b39
        """

    // Test cases 13, 14 and 16 of the specification submitted to NIST (McGrew and Viega).
    @Test(arguments: [
        Vector(
            key: String(repeating: "00", count: 32),
            nonce: String(repeating: "00", count: 12),
            message: "",
            context: "",
            sealed: "530f8afbc74536b9a963b4f1c4cb738b"
        ),
        Vector(
            key: String(repeating: "00", count: 32),
            nonce: String(repeating: "00", count: 12),
            message: String(repeating: "00", count: 16),
            context: "",
            sealed: "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
        ),
        Vector(
            key: longKey,
            nonce: "cafebabefacedbaddecaf888",
            message: longMessage,
            context: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            sealed: """
                522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838
                c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b
                """
        ),
    ])
    func `Sealing matches the test vectors in the specification`(vector: Vector) throws {
        let cipher = try AESGCM(key: bytes(vector.key))
        let nonce = FixedBytes(given: bytes(vector.nonce))
        let context = bytes(vector.context)

        let sealed = try cipher.seal(bytes(vector.message), context: context, random: nonce)

        #expect(sealed == nonce.given + bytes(vector.sealed))
        #expect(try cipher.open(sealed, context: context) == bytes(vector.message))
    }

    @Test func `A sealed message with a flipped bit is rejected`() throws {
        let cipher = try AESGCM(key: SystemRandom().bytes(32))
        let sealed = try cipher.seal(Array("a message".utf8), context: [1])

        for bit in 0..<sealed.count * 8 {
            var other = sealed
            other[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: CryptoError.self) { try cipher.open(other, context: [1]) }
        }
    }

    @Test func `A wrong key, a wrong context and a truncated message are rejected`() throws {
        let cipher = try AESGCM(key: SystemRandom().bytes(32))
        let other = try AESGCM(key: SystemRandom().bytes(32))
        let sealed = try cipher.seal(Array("a message".utf8), context: [1])

        expect(.mismatch) { () throws(CryptoError) in try other.open(sealed, context: [1]) }
        expect(.mismatch) { () throws(CryptoError) in try cipher.open(sealed, context: [2]) }
        expect(.mismatch) { () throws(CryptoError) in try cipher.open(sealed) }
        for count in 0..<sealed.count {
            #expect(throws: CryptoError.self) { try cipher.open(Array(sealed.prefix(count)), context: [1]) }
        }
    }

    @Test func `Sealing the same message twice gives different results`() throws {
        let cipher = try AESGCM(key: SystemRandom().bytes(32))

        let sealed = try (0..<100).map { _ in try cipher.seal([1, 2, 3]) }

        #expect(Set(sealed).count == 100)
    }

    @Test(arguments: [0, 16, 24, 31, 33])
    func `A key of the wrong length is rejected`(count: Int) {
        expect(.malformed) { () throws(CryptoError) in try AESGCM(key: [UInt8](repeating: 1, count: count)) }
    }

    @Test func `Sealing fails if the random source returns too few bytes`() throws {
        let cipher = try AESGCM(key: SystemRandom().bytes(32))

        expect(.failed) { () throws(CryptoError) in try cipher.seal([1], random: FixedBytes(given: [1])) }
    }
}
