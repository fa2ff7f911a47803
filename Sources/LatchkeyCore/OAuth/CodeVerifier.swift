import LatchkeyModel

/// The secret of an authorization request, without which its code can't be redeemed (RFC 7636).
struct CodeVerifier: Hashable, Sendable {
    /// The value of `code_verifier`: 256 random bits in base64url.
    let secret: Secret

    /// Creates a verifier for a new request.
    init(random: any RandomSource) {
        secret = Secret(Base64URL.encode(random.bytes(32)))
    }

    /// Creates a verifier from a stored text.
    init(stored text: String) {
        secret = Secret(text)
    }

    /// The value of `code_challenge` for the method `S256` (RFC 7636, section 4.2).
    var challenge: String { Base64URL.encode(SHA256Hash.hash(Array(secret.exposed.utf8))) }
}
