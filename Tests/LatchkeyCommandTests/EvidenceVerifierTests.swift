import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyCommand

@Suite struct `Signatures of exported answers` {
    private let key: SigningKey
    private let keys: JSONValue
    private static let evidence: JSONValue = ["answer": "acceptance", "number": 1]

    init() throws {
        key = try SigningKey.generate()
        keys = try Self.set(key)
    }

    private static func set(_ key: SigningKey) throws -> JSONValue {
        let jwk: JSONValue = try JSONCoding.decode(from: Array(key.publicKey.jwk.utf8))
        let members = jwk.object ?? [:]
        return ["keys": [.object(members.merging(["kid": "1", "use": "sig", "alg": "ES256"]) { $1 })]]
    }

    private func line(
        _ header: [String: JSONValue] = [:],
        payload: JSONValue = evidence,
        evidence: JSONValue = evidence,
        key other: SigningKey? = nil
    ) throws -> String {
        let members: [String: JSONValue] = ["alg": "ES256", "kid": "1", "typ": "terms-evidence+jws"]
        let header = JSONValue.object(members.merging(header) { $1 })
        let jws = try CompactJWS.sign(
            JSONCoding.encode(payload),
            header: JSONCoding.encode(header),
            with: other ?? key
        )
        let line: JSONValue = ["evidence": evidence, "jws": .string(jws.exposed)]
        return String(decoding: try JSONCoding.encode(line), as: UTF8.self)
    }

    private func flaw(_ line: String, keys set: JSONValue? = nil) -> String? {
        do throws(EvidenceVerifier.Flaw) {
            try EvidenceVerifier(keys: set ?? keys).verify(line)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `A line with the server's signature of its evidence is valid`() throws {
        #expect(flaw(try line()) == nil)
    }

    @Test func `Evidence that was changed, or signed with another key, is invalid`() throws {
        #expect(
            flaw(try line(evidence: ["answer": "refusal", "number": 1]))
                == "the evidence differs from what was signed"
        )
        #expect(flaw(try line(key: try SigningKey.generate())) == "the signature is wrong")
        #expect(flaw(try line(), keys: try Self.set(try SigningKey.generate())) == "the signature is wrong")
        let unknown = "the key of the signature is unknown; use --keys with the key set of that time"
        #expect(flaw(try line(["kid": "2"])) == unknown)
        #expect(flaw(try line(), keys: [:]) == unknown)
    }

    @Test(
        arguments: [
            (["typ": "at+jwt"], "the signature is not one of evidence"),
            (["typ": .null], "the signature is not one of evidence"),
            (["crit": ["x"]], "the signature is not one of evidence"),
            (["alg": "none"], "the signature is wrong"),
            (["alg": "RS256"], "the signature is wrong"),
        ] as [([String: JSONValue], String)]
    )
    func `Another token of the server is no signature of evidence`(
        header: [String: JSONValue],
        expected: String
    ) throws {
        #expect(flaw(try line(header)) == expected)
    }

    @Test(arguments: ["", "{}", "[]", #"{"evidence":{},"jws":1}"#])
    func `A line without both members is invalid`(
        _ line: String
    ) {
        #expect(flaw(line) == "the line is not a JSON object with evidence and jws")
    }

    @Test(arguments: ["", "a", "a.b", "a.b.c", "a.b.c.d", "e30.e30.!"])
    func `A malformed signature is reported`(
        _ jws: String
    ) {
        #expect(flaw(#"{"evidence":{},"jws":"\#(jws)"}"#) == "the signature is malformed")
    }
}
