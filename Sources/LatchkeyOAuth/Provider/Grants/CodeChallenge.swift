import LatchkeyCrypto
import LatchkeyModel

/// A code challenge with the method `S256` (RFC 7636, section 4.2).
package struct CodeChallenge: Hashable, Sendable {
    /// The challenge, which has 43 characters of base64url.
    package let text: String

    /// Reads the challenge of an authorization request.
    ///
    /// Returns `nil` if the text isn't a SHA-256 hash in base64url.
    package init?(_ text: String) {
        guard Base64URL.decode(text)?.count == SHA256.byteCount else { return nil }
        self.text = text
    }

    /// Derives the challenge of a verifier (RFC 7636, section 4.1).
    ///
    /// Returns `nil` if the text isn't a verifier: 43 to 128 unreserved characters.
    package init?(verifier: String) {
        guard (43...128).contains(verifier.utf8.count),
            verifier.utf8.allSatisfy({ byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-._~".utf8.contains(byte)
                }
            })
        else { return nil }
        text = Base64URL.encode(SHA256.hash(Array(verifier.utf8)))
    }
}
