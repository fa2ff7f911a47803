import LatchkeyCrypto
package import LatchkeyModel

/// A hash of a client's secret.
package enum ClientSecretHash: Hashable, Sendable {
    /// The SHA-256 hash of a secret that the server generated.
    ///
    /// A secret with 256 random bits can't be guessed, so it needs no slow hash.
    case generated([UInt8])
    /// The hash of a secret that the operator chose, as a PHC string.
    case chosen(String)

    private static let prefix = "sha256:"

    /// Creates a hash from its stored form.
    init(stored text: String) {
        if text.hasPrefix(Self.prefix), let digest = Base64URL.decode(text.dropFirst(Self.prefix.count)) {
            self = .generated(digest)
        } else {
            self = .chosen(text)
        }
    }

    /// The form in which the hash is stored.
    var text: String {
        switch self {
        case .generated(let digest): Self.prefix + Base64URL.encode(digest)
        case .chosen(let text): text
        }
    }
}

/// The secrets of a client, of which two are valid during a rotation.
package struct ClientSecrets: Hashable, Sendable {
    /// The current secret, or `nil` if the client has none.
    package let current: ClientSecretHash?
    /// The secret before the last rotation, or `nil` if there is none.
    package let previous: ClientSecretHash?
    /// When the previous secret expires.
    package let previousUntil: Timestamp?

    package init(
        _ current: ClientSecretHash? = nil,
        previous: ClientSecretHash? = nil,
        until previousUntil: Timestamp? = nil
    ) {
        self.current = current
        self.previous = previousUntil == nil ? nil : previous
        self.previousUntil = previous == nil ? nil : previousUntil
    }

    /// Returns the hashes of the valid secrets.
    package func valid(at now: Timestamp) -> [ClientSecretHash] {
        let previous = previousUntil.map { now < $0 } == true ? previous : nil
        return [current, previous].compactMap(\.self)
    }

    /// Returns the secrets after a rotation.
    ///
    /// Only the current secret stays valid. If another rotation hasn't ended yet, the secret before that is
    /// no longer valid.
    package func rotated(to new: ClientSecretHash, until end: Timestamp) -> ClientSecrets {
        ClientSecrets(new, previous: current, until: end)
    }
}

/// A new secret of a client.
package struct NewClientSecret: Sendable {
    /// The minimum length of a secret that the operator chooses, in bytes.
    package static let shortest = 8
    package static let longest = 256

    /// The secret, which is returned once.
    package let secret: Secret
    package let hash: ClientSecretHash

    /// Generates a secret with 256 random bits.
    ///
    /// Secret scanners can recognize leaked secrets by the prefix.
    package init(random: some RandomSource) {
        secret = Secret("lk_cs_" + Base64URL.encode(random.bytes(32)))
        hash = .generated(SHA256.hash(Array(secret.exposed.utf8)))
    }

    /// Hashes a secret that the operator chose.
    package init(_ secret: Secret, hasher: any PasswordHasher) async throws(PasswordHasherError) {
        self.secret = secret
        hash = .chosen(try await hasher.hash(secret))
    }

    /// Returns whether a text can be the secret of a client.
    ///
    /// Secrets are printable ASCII (RFC 6749, appendix A.2).
    package static func isAllowed(_ secret: Secret) -> Bool {
        let bytes = secret.exposed.utf8
        return (shortest...longest).contains(bytes.count) && bytes.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
