package import LatchkeyModel

/// A proof that a request comes from whoever holds a key (RFC 9449), before it is signed.
package struct DPoPProof: Sendable {
    /// The request's header field that carries a proof.
    package static let header = "DPoP"

    /// The answer's header field that carries the nonce for the next proof.
    package static let nonceHeader = "DPoP-Nonce"

    /// The media type that a proof's header names.
    package static let mediaType = "dpop+jwt"

    /// The method of the request.
    package var method: HTTPMethod

    /// The request's URL, without query and fragment.
    package var url: String

    /// What no other proof has: at least 96 random bits in whatever characters.
    package var id: String

    /// When it is made, by the clock of whoever makes it.
    package var issuedAt: Timestamp

    /// The latest nonce that the server gave.
    package var nonce: String?

    /// SHA-256 of the access token that goes with the request, where one does.
    package var accessTokenHash: [UInt8]?

    package init(
        method: HTTPMethod,
        url: String,
        id: String,
        issuedAt: Timestamp,
        nonce: String? = nil,
        accessTokenHash: [UInt8]? = nil
    ) {
        self.method = method
        self.url = url
        self.id = id
        self.issuedAt = issuedAt
        self.nonce = nonce
        self.accessTokenHash = accessTokenHash
    }

    /// Signs the proof.
    ///
    /// - Parameters:
    ///   - jwk: The public key as a JSON Web Key, without its private part.
    ///   - sign: Signs bytes: ES256, r and s of 32 bytes each.
    /// - Returns: The value of the header field.
    /// - Throws: What the closure throws.
    package func signed<Failure: Error>(
        jwk: String,
        by sign: ([UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) -> String {
        let input = Base64URL.encode(header(jwk)) + "." + Base64URL.encode(payload)
        return input + "." + Base64URL.encode(try sign(Array(input.utf8)))
    }

    private func header(_ jwk: String) -> [UInt8] {
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.name("typ")
            writer.string(Self.mediaType)
            writer.name("alg")
            writer.string("ES256")
            writer.name("jwk")
            writer.raw(Array(jwk.utf8))
        }
        return writer.bytes
    }

    private var payload: [UInt8] {
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.name("jti")
            writer.string(id)
            writer.name("htm")
            writer.string(method.rawValue)
            writer.name("htu")
            writer.string(url)
            writer.name("iat")
            writer.integer(issuedAt.seconds)
            if let nonce {
                writer.name("nonce")
                writer.string(nonce)
            }
            if let accessTokenHash {
                writer.name("ath")
                writer.string(Base64URL.encode(accessTokenHash))
            }
        }
        return writer.bytes
    }
}
