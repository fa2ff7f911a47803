import LatchkeyCore
import LatchkeyModel
import LatchkeySoftwareKeys
import LatchkeyWire

/// Verifies lines of exported answers with the keys of a server.
struct EvidenceVerifier {
    /// The reason for which a line isn't valid.
    struct Flaw: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// The type in the header of the signatures, which no token of the server has.
    private static let type = "terms-evidence+jws"

    private let keys: [String: SignatureKey]
    private let verifier = SoftwareSignatureVerifier()

    /// Creates a verifier with the usable keys of a JSON Web Key Set (RFC 7517, section 5).
    init(keys set: JSONValue) {
        var keys: [String: SignatureKey] = [:]
        for jwk in set["keys"]?.array ?? [] {
            guard let id = jwk["kid"]?.text, let key = SignatureKey(jwk: jwk) else { continue }
            keys[id] = key
        }
        self.keys = keys
    }

    func verify(_ line: LineReader.Line) throws(Flaw) {
        guard let text = try? line.text.get() else { throw Flaw("the line is not UTF-8") }
        try verify(text)
    }

    /// Verifies that a line's signature was created with one of the keys, and that it signs the line's evidence.
    func verify(_ line: String) throws(Flaw) {
        guard let json = try? JSONCoding.decode(JSONValue.self, from: Array(line.utf8)),
            let evidence = json["evidence"], let jws = json["jws"]?.text
        else { throw Flaw("the line is not a JSON object with evidence and jws") }
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.json(parts[0]), let payload = Self.json(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw Flaw("the signature is malformed") }
        guard header["typ"]?.text == Self.type, header["crit"] == nil else {
            throw Flaw("the signature is not one of evidence")
        }
        guard let id = header["kid"]?.text, let key = keys[id] else {
            throw Flaw("the key of the signature is unknown; use --keys with the key set of that time")
        }
        let algorithm =
            switch key {
            case .es256: "ES256"
            case .rs256: "RS256"
            }
        let message = Array(jws.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
        guard header["alg"]?.text == algorithm, verifier.isValid(signature, for: message, by: key) else {
            throw Flaw("the signature is wrong")
        }
        guard payload == evidence else { throw Flaw("the evidence differs from what was signed") }
    }

    private static func json(_ part: Substring) -> JSONValue? {
        Base64URL.decode(part).flatMap { try? JSONCoding.decode(JSONValue.self, from: $0) }
    }
}
