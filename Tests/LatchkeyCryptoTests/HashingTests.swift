import LatchkeyCrypto
import LatchkeyModel
import Testing

@Suite struct `OpenSSL's SHA-256` {
    @Test func `OpenSSL and Swift compute the same hash for all lengths around the block size`() {
        for count in 0...300 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) }
            #expect(SHA256.hash(bytes) == SHA256Hash.hash(bytes), "\(count) bytes")
        }
    }
}

@Suite struct `SHA-256` {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ])
    func `Hashes match the test vectors in FIPS 180-4`(message: String, hash: String) {
        #expect(SHA256.hash(Array(message.utf8)) == bytes(hash))
    }
}

@Suite struct `HMAC-SHA256` {
    struct Vector: Sendable {
        let key: [UInt8]
        let message: [UInt8]
        let code: String
    }

    @Test(arguments: [
        Vector(
            key: [UInt8](repeating: 0x0B, count: 20),
            message: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        Vector(
            key: Array("Jefe".utf8),
            message: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        Vector(
            key: [UInt8](repeating: 0xAA, count: 20),
            message: [UInt8](repeating: 0xDD, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        Vector(
            key: Array(1...25),
            message: [UInt8](repeating: 0xCD, count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        Vector(
            key: [UInt8](repeating: 0xAA, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        Vector(
            key: [UInt8](repeating: 0xAA, count: 131),
            message: Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. "
                    + "The key needs to be hashed before being used by the HMAC algorithm.").utf8
            ),
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ])
    func `Codes match the test vectors in RFC 4231`(vector: Vector) {
        let key = HMACKey(bytes: vector.key)

        #expect(key.authenticate(vector.message) == bytes(vector.code))
        #expect(key.isAuthentic(bytes(vector.code), of: vector.message))
    }

    @Test func `A changed, truncated or extended code is rejected`() {
        let key = HMACKey(bytes: [1, 2, 3])
        let code = key.authenticate([4])

        for bit in 0..<256 {
            var other = code
            other[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.isAuthentic(other, of: [4]))
        }
        #expect(!key.isAuthentic(Array(code.dropLast()), of: [4]))
        #expect(!key.isAuthentic(code + [0], of: [4]))
        #expect(!key.isAuthentic([], of: [4]))
    }

    @Test func `Empty keys and empty messages are accepted`() {
        #expect(
            HMACKey(bytes: []).authenticate([])
                == bytes("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
        )
    }

    @Test func `Printing an HMAC key does not reveal it`() {
        let key = HMACKey(bytes: [0xDE, 0xAD])
        var dumped = ""
        dump(key, to: &dumped)

        #expect(!"\(key) \(String(reflecting: key)) \(dumped)".contains("222"))
    }
}

@Suite struct `HKDF-SHA256` {
    struct Vector: Sendable {
        let secret: [UInt8]
        let salt: [UInt8]
        let info: [UInt8]
        let key: String
    }

    @Test(arguments: [
        Vector(
            secret: [UInt8](repeating: 0x0B, count: 22),
            salt: Array(0...0x0C),
            info: Array(0xF0...0xF9),
            key: """
                3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf
                34007208d5b887185865
                """
        ),
        Vector(
            secret: Array(0...0x4F),
            salt: Array(0x60...0xAF),
            info: Array(0xB0...0xFF),
            key: """
                b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c
                59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71
                cc30c58179ec3e87c14c01d5c1f3434f1d87
                """
        ),
        Vector(
            secret: [UInt8](repeating: 0x0B, count: 22),
            salt: [],
            info: [],
            key: """
                8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d
                9d201395faa4b61a96c8
                """
        ),
    ])
    func `Derived keys match the test vectors in RFC 5869`(vector: Vector) {
        let expected = bytes(vector.key)

        let key = HKDF.key(
            from: vector.secret,
            salt: vector.salt,
            info: vector.info,
            count: UInt8(expected.count)
        )

        #expect(key == expected)
    }

    @Test(arguments: [UInt8(0), 1, 32, 33, 255])
    func `Keys of any length can be derived`(count: UInt8) {
        #expect(HKDF.key(from: [1], info: [2], count: count).count == Int(count))
    }
}
