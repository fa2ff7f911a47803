package import LatchkeyModel

/// The content of a DPoP proof, which proves that the sender of a request possesses a key (RFC 9449).
package struct DPoPProof: Sendable {
    /// The request header that contains the proof.
    package static let header = "DPoP"

    /// The response header that contains the nonce for the next proof.
    package static let nonceHeader = "DPoP-Nonce"

    /// The media type in the header of the proof (`typ`).
    package static let mediaType = "dpop+jwt"

    /// The request method (`htm`).
    package var method: HTTP.Method

    /// The request URL without its query and fragment (`htu`).
    package var url: String

    /// A unique ID for this proof, which contains at least 96 random bits in any encoding (`jti`).
    package var id: String

    /// When the proof was created, according to the client's clock (`iat`).
    package var issuedAt: Timestamp

    /// The most recent nonce from the server, or `nil` if it hasn't sent one (`nonce`).
    package var nonce: String?

    /// The SHA-256 hash of the access token, or `nil` if the request doesn't have one (`ath`).
    package var accessTokenHash: [UInt8]?

    /// Creates a proof for a single request.
    ///
    /// Servers reject a proof that has been used before.
    ///
    /// - Parameters:
    ///   - method: The request method.
    ///   - url: The request URL without its query and fragment.
    ///   - id: A unique ID that contains at least 96 random bits.
    ///   - issuedAt: When the proof was created, according to the client's clock.
    ///   - nonce: The most recent nonce from the server, or `nil` if it hasn't sent one.
    ///   - accessTokenHash: The SHA-256 hash of the access token, or `nil` if the request doesn't have one.
    package init(
        method: HTTP.Method,
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
    ///   - jwk: The public key as a JSON Web Key, without the private key.
    ///   - sign: Signs the given bytes with ES256 and returns r and s as 32 bytes each.
    /// - Returns: The value of the `DPoP` header.
    /// - Throws: The error thrown by `sign`.
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
