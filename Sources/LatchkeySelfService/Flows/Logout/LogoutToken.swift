import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit

/// The token with which a page of a browser's own user logs out.
///
/// The address of a logout contains the token, so that other sites can't log the user out.
struct LogoutToken: Sendable {
    private static let prefix = "lk_lo_"

    private let keys: [HMACKey]

    init(secrets: ServerSecrets) {
        keys = secrets.keys(for: .logoutToken).map(\.key)
    }

    /// Returns the token of a session.
    func token(for session: Identifier) -> String {
        Self.prefix + Base64URL.encode(keys[0].authenticate(session.bytes))
    }

    /// Returns whether a token is that of a session.
    func isValid(_ token: String, for session: Identifier) -> Bool {
        guard token.hasPrefix(Self.prefix),
            let code = Base64URL.decode(token.dropFirst(Self.prefix.count))
        else { return false }
        return keys.contains { $0.isAuthentic(code, of: session.bytes) }
    }
}
