import LatchkeyModel
import Testing

@Suite struct `Base64url encoding` {
    // These vectors are from RFC 4648, section 10, without the padding. The last two vectors contain
    // characters that differ between the Base64url and Base64 alphabets.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"), ("~~~~", "fn5-fg"), ("???", "Pz8_"),
    ])
    func `Encoded text matches the test vectors in RFC 4648`(text: String, encoded: String) {
        #expect(Base64URL.encode(text.utf8) == encoded)
        #expect(Base64URL.decode(encoded) == Array(text.utf8))
    }

    @Test func `All encoded bytes can be decoded`() {
        for count in 0..<70 {
            let bytes = SystemRandom().bytes(count)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
        let all = Array(UInt8.min...UInt8.max)
        #expect(Base64URL.decode(Base64URL.encode(all)) == all)
    }

    @Test(arguments: [
        "Z", "A", "AAAAA", "Zm9vY", "Zg==", "Zm8=", "Zm+v", "Zm/v", "Zm9v\n", " Zm9v", "Zm 9v", "Zm9v.",
        "Zä9v",
        // In the following strings, the unused bits at the end are not zero. If such texts were accepted, the
        // same bytes would have more than one encoding.
        "Zh", "Zm9", "_____w1",
    ])
    func `Malformed text is rejected`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
