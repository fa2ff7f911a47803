import LatchkeyModel
import Testing

@Suite struct `SHA-256 implemented in Swift` {
    // Examples from FIPS 180-2 (appendix B) and from NIST's Cryptographic Standards and Guidelines.
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
    ]) func `Hashes match the published values`(text: String, expected: String) {
        let hash = SHA256Hash.hash(Array(text.utf8))
        #expect(hash.count == SHA256Hash.byteCount)
        let digits = hash.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }
        #expect(digits.joined() == expected)
    }
}
