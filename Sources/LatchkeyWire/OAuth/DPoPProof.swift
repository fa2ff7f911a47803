package import LatchkeyModel

/// An unsigned DPoP proof, with which a request proves possession of a key (RFC 9449).
package struct DPoPProof: Sendable {
    /// The request header field that carries a proof.
    package static let header = "DPoP"

    /// The response header field that carries the nonce for the next proof.
    package static let nonceHeader = "DPoP-Nonce"

    /// The media type in the header of a proof (`typ`).
    package static let mediaType = "dpop+jwt"

    /// The method of the request (`htm`).
    package var method: HTTP.Method

    /// The URL of the request, without query and fragment (`htu`).
    package var url: String

    /// The unique ID of the proof, with at least 96 random bits in any encoding (`jti`).
    package var id: String

    /// The time of creation, by the sender's clock (`iat`).
    package var issuedAt: Timestamp

    /// The latest nonce from the server; `nil` if the server has sent none.
    package var nonce: String?

    /// The SHA-256 hash of the access token of the request (`ath`); `nil` for requests without one.
    package var accessTokenHash: [UInt8]?

    /// Creates an unsigned proof for one request; a server accepts a proof only once.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - url: The URL of the request, without query and fragment.
    ///   - id: The unique id, with at least 96 random bits.
    ///   - issuedAt: The time of creation, by the sender's clock.
    ///   - nonce: The latest nonce from the server; `nil` if the server has sent none.
    ///   - accessTokenHash: The SHA-256 hash of the access token; `nil` for requests without one.
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
    ///   - jwk: The public key as a JSON Web Key, without its private part.
    ///   - sign: Signs bytes with ES256; returns r and s, 32 bytes each.
    /// - Returns: The value of the header field.
    /// - Throws: The error that the closure throws.
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
