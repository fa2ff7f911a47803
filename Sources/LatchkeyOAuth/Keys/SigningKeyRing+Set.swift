import LatchkeyCrypto
package import LatchkeyModel
import LatchkeyWire

extension SigningKeyRing {
    /// Returns the keys to publish as a JSON Web Key Set (RFC 7517, section 5).
    ///
    /// - Throws: Any error thrown by ``published(at:)``.
    package func publishedSet(at now: Timestamp) async throws -> [UInt8] {
        Self.set(of: try await published(at: now))
    }

    static func set(of published: [(id: String, key: JWSVerifyingKey)]) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("keys")
            writer.array { writer in
                for (id, key) in published {
                    var members = Array(key.jwk.utf8.dropLast())
                    let algorithm = key.algorithm.rawValue
                    members += Array(#","use":"sig","alg":"\#(algorithm)","kid":"\#(id)"}"#.utf8)
                    writer.raw(members)
                }
            }
        }
        return writer.bytes
    }
}
