import Testing

@testable import LatchkeyOAuth

@Suite("Code challenges")
struct CodeChallengeTests {
    @Test func `The example of RFC 7636 has its challenge`() {
        let challenge = CodeChallenge(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(challenge?.text == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test(arguments: [
        (42, false), (43, true), (44, true), (127, true), (128, true), (129, false), (0, false),
    ])
    func `A verifier has 43 to 128 characters`(count: Int, isValid: Bool) {
        #expect((CodeChallenge(verifier: String(repeating: "v", count: count)) != nil) == isValid)
    }

    @Test(arguments: [
        ("azAZ09-._~", true), (" ", false), ("+", false), ("/", false), ("=", false), ("%", false),
        ("\0", false), ("@", false), ("[", false), ("`", false), ("{", false), ("é", false),
    ])
    func `A verifier contains unreserved characters`(text: String, isValid: Bool) {
        let verifier = String(repeating: "v", count: 43) + text
        #expect((CodeChallenge(verifier: verifier) != nil) == isValid)
    }

    @Test(arguments: [
        (String(repeating: "A", count: 43), true),
        (String(repeating: "A", count: 42), false),
        (String(repeating: "A", count: 44), false),
        (String(repeating: "A", count: 43) + "=", false),
        (String(repeating: "A", count: 42) + "+", false),
        (String(repeating: "A", count: 42) + "é", false),
        // The last character has two bits that are no part of the hash, which must be zero.
        (String(repeating: "A", count: 42) + "B", false),
        (String(repeating: "A", count: 42) + "E", true),
        ("", false),
    ])
    func `A challenge is a hash in base64url with one spelling`(text: String, isValid: Bool) {
        #expect((CodeChallenge(text) != nil) == isValid)
    }
}
