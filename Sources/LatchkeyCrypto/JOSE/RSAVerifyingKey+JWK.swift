import LatchkeyModel

extension RSAVerifyingKey {
    /// The key as a JSON Web Key.
    ///
    /// The JWK only contains the required members, in the order and form that RFC 7638 specifies for
    /// computing the thumbprint.
    package var jwk: String {
        #"{"e":"\#(Base64URL.encode(exponent))","kty":"RSA","n":"\#(Base64URL.encode(modulus))"}"#
    }
}
