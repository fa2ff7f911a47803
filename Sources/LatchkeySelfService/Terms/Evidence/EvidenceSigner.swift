package import LatchkeyModel
import LatchkeyWire

/// Signs evidence with the server's keys.
package struct EvidenceSigner: Sendable {
    /// Signs a payload with a type (`typ`), and returns the JWS in compact serialization (RFC 7515).
    package typealias Signature =
        @Sendable (_ payload: [UInt8], _ type: String, _ now: Timestamp) async throws -> Secret
    /// Returns the public keys as a JSON Web Key Set (RFC 7517, section 5).
    package typealias Keys = @Sendable (_ now: Timestamp) async throws -> [UInt8]

    /// The type in the header, which no token of the server has.
    package static let type = "terms-evidence+jws"

    /// The URL of the server.
    let issuer: String
    let keys: Keys
    private let sign: Signature

    package init(issuer: String, sign: @escaping Signature, keys: @escaping Keys) {
        (self.issuer, self.sign, self.keys) = (issuer, sign, keys)
    }

    /// Returns an answer with a signature of its JSON.
    func signed(_ evidence: EvidenceBody, at now: Timestamp) async throws -> SignedEvidenceBody {
        let jws = try await sign(JSONCoding.encode(evidence), Self.type, now)
        return SignedEvidenceBody(evidence: evidence, jws: jws.exposed)
    }
}
