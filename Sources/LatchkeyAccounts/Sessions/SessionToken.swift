import LatchkeyCrypto
package import LatchkeyModel

/// A session token.
///
/// The server only stores a hash of the token.
package struct SessionToken: Sendable {
    /// The kind of client that a token is for.
    ///
    /// A token is only valid where its kind is expected: a browser's token isn't valid in a header field, and
    /// an app's token isn't valid in a cookie.
    package enum Kind: Hashable, Sendable {
        /// A native app, which sends its token in a header field.
        case app
        /// A browser, which sends its token in a cookie.
        case browser
    }

    /// The prefix of browsers' tokens.
    package static let browserPrefix = "lk_bs_"

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    private static let length = 32

    /// The token itself, which only the client stores.
    package let secret: Secret

    /// The token's SHA-256 hash, which is used to look up the session.
    package let hash: [UInt8]

    /// The kind of client that the token is for.
    package let kind: Kind

    /// Creates a token from the text in a request, without checking its format.
    ///
    /// - Parameters:
    ///   - secret: The text, which can have any length. The text doesn't have to be a valid token.
    ///   - kind: The kind of client that the token is for, which depends on where the request contains it.
    package init(presented secret: Secret, by kind: Kind = .app) {
        self.secret = secret
        self.kind = kind
        // The hashes differ, so that a token is unknown where its kind isn't expected.
        let domain = kind == .browser ? "latchkey browser session\0" : ""
        hash = SHA256.hash(Array(domain.utf8) + Array(secret.exposed.utf8))
    }

    /// Generates a token with 32 random letters and digits, which is about 190 bits of entropy.
    ///
    /// - Parameters:
    ///   - prefix: The text before the random part, which makes leaked tokens recognizable.
    ///   - kind: The kind of client that the token is for.
    ///   - random: The random source.
    package init(prefix: String, for kind: Kind = .app, random: some RandomSource) {
        var text = Array(prefix.utf8)
        let end = text.count + Self.length
        while text.count < end {
            // 248 is the largest multiple of 62 that fits in a byte. We skip larger bytes because they would
            // make some characters more likely than others.
            for byte in random.bytes(Self.length) where byte < 248 && text.count < end {
                text.append(Self.alphabet[Int(byte % 62)])
            }
        }
        self.init(presented: Secret(String(decoding: text, as: UTF8.self)), by: kind)
    }
}

extension SessionToken {
    /// Generates a token with the prefix of its kind.
    package init(for kind: Kind, settings: SessionSettings, random: some RandomSource) {
        let prefix = kind == .browser ? Self.browserPrefix : settings.tokenPrefix
        self.init(prefix: prefix, for: kind, random: random)
    }
}
