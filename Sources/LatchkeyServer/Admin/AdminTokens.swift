import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerCore

/// The bearer tokens that the admin listener accepts.
struct AdminTokens: Sendable {
    /// The bytes that a configured token must have at least.
    static let shortest = 16

    private static let prefix = "lk_admin_"

    /// The token for callers.
    let current: Secret

    /// The tokens of older secrets, while these are still listed.
    private let older: [Secret]

    /// Derives a token from each of the secrets, so that all nodes with the same secrets have the same tokens.
    init(_ secrets: ServerSecrets) {
        let tokens = secrets.allKeyBytes(for: .adminToken).map { Secret(Self.prefix + Base64URL.encode($0)) }
        current = tokens[0]
        older = Array(tokens.dropFirst())
    }

    /// Takes the token that the operator chose, and no other.
    ///
    /// - Throws: ``IdentityServerError`` if it can be guessed.
    init(configured token: Secret) throws(IdentityServerError) {
        guard token.exposed.utf8.count >= Self.shortest else {
            throw IdentityServerError(.configuration, "admin.token \(Self.tooShort)")
        }
        current = token
        older = []
    }

    /// The reason for which a configured token that can be guessed is refused.
    static let tooShort = "has fewer than \(shortest) bytes; openssl rand -hex 32 prints a good one"

    /// Whether a token is one of these; the time that it takes shows only the lengths.
    func accept(_ token: String) -> Bool {
        let bytes = Array(token.utf8)
        return ([current] + older).reduce(false) { found, known in
            ConstantTime.equal(bytes, Array(known.exposed.utf8)) || found
        }
    }
}
