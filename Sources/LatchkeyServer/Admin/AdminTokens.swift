import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit

/// The bearer tokens that the admin listener accepts.
struct AdminTokens: Sendable {
    /// The minimum length of a configured token, in bytes.
    static let shortest = 16

    /// The prefix of derived tokens.
    ///
    /// Tokens that the operator configures don't need this prefix.
    private static let prefix = "lk_admin_"

    /// The token that callers should use.
    let current: Secret

    /// The tokens derived from older secrets.
    ///
    /// These tokens are accepted until the old secrets are removed from the `secrets` file.
    private let older: [Secret]

    /// Derives a token from each secret, so that all nodes with the same secrets accept the same tokens.
    ///
    /// The token from the first secret becomes ``current``.
    init(_ secrets: ServerSecrets) {
        let tokens = secrets.allKeyBytes(for: .adminToken).map { Secret(Self.prefix + Base64URL.encode($0)) }
        current = tokens[0]
        older = Array(tokens.dropFirst())
    }

    /// Creates a set of tokens that only contains the token from the operator's configuration.
    ///
    /// - Throws: ``IdentityServerError`` if the token is shorter than ``shortest``.
    init(configured token: Secret) throws(IdentityServerError) {
        guard token.exposed.utf8.count >= Self.shortest else {
            throw IdentityServerError(.configuration, message: "admin.token \(Self.tooShort)")
        }
        current = token
        older = []
    }

    /// The error message for a configured token that is too short.
    static let tooShort = "has fewer than \(shortest) bytes; generate one with openssl rand -hex 32"

    /// Returns whether the given token is accepted.
    ///
    /// The tokens are compared in constant time, and every known token is compared even after a match. The
    /// running time reveals only the lengths of the tokens.
    func accept(_ token: String) -> Bool {
        let bytes = Array(token.utf8)
        return ([current] + older).reduce(false) { found, known in
            ConstantTime.equal(bytes, Array(known.exposed.utf8)) || found
        }
    }
}
