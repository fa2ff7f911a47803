import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension SigningKeyRing {
    func verified(_ token: Secret, type: String, at now: Timestamp) async throws -> OrderedJSON? {
        guard
            let jws = CompactJWS(token.exposed), let header = try? JSONParser.parse(jws.header),
            case .string(let found)? = header["typ"], found.equalsIgnoringASCIICase(type),
            header["alg"] == .string("ES256"), header["crit"] == nil,
            case .string(let keyID)? = header["kid"],
            let key = try await verifying(keyID, at: now), jws.isSigned(by: key),
            let payload = try? JSONParser.parse(jws.payload)
        else { return nil }
        return payload
    }
}
