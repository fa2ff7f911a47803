import LatchkeyCrypto
package import LatchkeyModel

/// The secret of a browser, which protects its forms from those of other sites (CSRF) and binds flows to it.
///
/// The browser keeps the secret in a cookie. Forms contain it masked, so that compression can't reveal it
/// (the BREACH attack).
package struct CSRFSecret: Hashable, Sendable {
    private static let byteCount = 32

    package let bytes: [UInt8]

    package init(random: any RandomSource) {
        bytes = random.bytes(Self.byteCount)
    }

    /// Reads the value of a cookie.
    package init?(_ value: String) {
        guard let bytes = Base64URL.decode(value), bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The value of the cookie.
    package var value: Secret { Secret(Base64URL.encode(bytes)) }

    /// Returns a token for a form, which is different each time.
    package func token(random: any RandomSource) -> String {
        let mask = random.bytes(Self.byteCount)
        return Base64URL.encode(mask + zip(mask, bytes).map { $0 ^ $1 })
    }

    /// Returns whether a form's token was made from this secret.
    package func accepts(_ token: String) -> Bool {
        guard let masked = Base64URL.decode(token), masked.count == 2 * Self.byteCount else { return false }
        let unmasked = zip(masked.prefix(Self.byteCount), masked.suffix(Self.byteCount)).map { $0 ^ $1 }
        return ConstantTime.equal(unmasked, bytes)
    }
}
