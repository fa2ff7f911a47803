import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyOAuth
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Status of identifiers` {
    private static let path = "/a" + Route.identifierStatus

    private let account: ProvenAccount
    private let key: SigningKey
    private var server: SelfServiceServer { account.server }

    init() async throws {
        account = try await ProvenAccount(proving: [ProvenAccount.mail]) {
            $0.provider.publishesIdentifierStatus = true
        }
        key = try SigningKey.generate()
    }

    private func proof(
        by key: SigningKey? = nil,
        _ change: (inout DPoPProof) -> Void = { _ in }
    ) throws -> String {
        let key = key ?? self.key
        var proof = DPoPProof(
            method: .post,
            url: SelfServiceServer.url + Self.path,
            id: Identifier().description,
            issuedAt: server.time.now
        )
        change(&proof)
        return try proof.signed(jwk: key.publicKey.jwk) { try key.rawSignature(for: $0) }
    }

    private func ask(
        _ identifier: JSONValue,
        proof: String?,
        from host: String = "192.0.2.1"
    ) async throws -> Answer {
        var headers: HTTP.Headers = [:]
        if let proof { headers[DPoPProof.header] = proof }
        let body = JSONValue.object(["identifier": identifier])
        return try await server.post(Route.identifierStatus, body, from: host, headers: headers)
    }

    private func events() async throws -> [AuditEvent] {
        try await AuditLog.events(of: .nilUUID, limit: 100, in: server.resources.database)
            .filter { $0.action.rawValue == "identifier.status.read" }
    }

    @Test(arguments: [
        (ProvenAccount.mail, true, true, false),
        // The same mailbox in another spelling.
        (" Person1@Example.ORG", true, true, false),
        // Only claimed: another user who proves it can have it.
        (ProvenAccount.phone, true, false, true),
        ("+46 70 100 00 01", true, false, true),
        ("stranger@example.org", false, false, true),
        ("+46701234567", false, false, true),
    ])
    func `The status says whether an account has the identifier and has proven it`(
        identifier: String,
        exists: Bool,
        verified: Bool,
        available: Bool
    ) async throws {
        let answer = try await ask(.string(identifier), proof: proof())
        #expect(answer.status == 200)
        #expect(answer["exists"] == .bool(exists))
        #expect(answer["verified"] == .bool(verified))
        #expect(answer["available"] == .bool(available))
    }

    @Test func `By default, every request gets the same 404 and isn't recorded`() async throws {
        let other = try await SelfServiceServer()
        let headers: HTTP.Headers = [DPoPProof.header: try proof()]
        let body: JSONValue = .object(["identifier": .string(ProvenAccount.mail)])
        for headers in [headers, [:]] {
            let answer = try await other.post(Route.identifierStatus, body, headers: headers)
            #expect(answer.status == 404)
            #expect(answer.reason.contains("oauth.identifier_status"))
        }
        #expect(try await AuditLog.events(of: .nilUUID, limit: 9, in: other.resources.database).isEmpty)
    }

    @Test func `A request without a valid proof learns only the nonce for the next proof`() async throws {
        let used = try proof()
        #expect(try await ask(.string(ProvenAccount.mail), proof: used).status == 200)
        let proofs: [(String?, String)] = [
            (nil, "invalid_dpop_proof"), ("x.y.z", "invalid_dpop_proof"), (used, "use_dpop_nonce"),
            (try proof { $0.issuedAt = server.time.now - .seconds(3600) }, "use_dpop_nonce"),
            (
                try DPoPProof(
                    method: .post,
                    url: SelfServiceServer.url + "/a/elsewhere",
                    id: "1",
                    issuedAt: server.time.now
                ).signed(jwk: key.publicKey.jwk) { try key.rawSignature(for: $0) }, "invalid_dpop_proof"
            ),
        ]
        for (proof, id) in proofs {
            let answer = try await ask(.string(ProvenAccount.mail), proof: proof)
            #expect(answer.status == 400)
            #expect(answer.errorID?.rawValue == id)
            #expect(answer.response.headers[DPoPProof.nonceHeader] != nil)
            #expect(answer["exists"] == nil)
        }
        #expect(try await events().count == 1)
    }

    @Test func `A device with a wrong clock is answered when it uses the nonce`() async throws {
        let early = try proof { $0.issuedAt = server.time.now - .seconds(3600) }
        let refusal = try await ask(.string(ProvenAccount.mail), proof: early)
        let nonce = try #require(refusal.response.headers[DPoPProof.nonceHeader])
        let again = try proof {
            $0.issuedAt = server.time.now - .seconds(3600)
            $0.nonce = nonce
        }
        #expect(try await ask(.string(ProvenAccount.mail), proof: again).status == 200)
    }

    @Test(
        arguments: [.string("person1"), .string(""), .string("0046701000001"), .integer(1), .null]
            as [JSONValue]
    )
    func `An identifier in a wrong form is rejected and counted`(identifier: JSONValue) async throws {
        for _ in 1...10 { #expect(try await ask(identifier, proof: proof()).status == 400) }
        #expect(try await ask(identifier, proof: proof()).status == 429)
        #expect(try await events().isEmpty)
    }

    @Test func `A network can ask ten times an hour, with whatever keys`() async throws {
        for number in 1...10 {
            let proof = try proof(by: try SigningKey.generate())
            #expect(try await ask(.string("a\(number)@example.org"), proof: proof).status == 200)
        }
        let refusal = try await ask(.string("b@example.org"), proof: try proof(by: try SigningKey.generate()))
        #expect(refusal.status == 429)
        #expect(refusal.response.headers["Retry-After"] != nil)
        #expect(try await events().count == 10)
        server.time.advance(by: .seconds(3601))
        #expect(try await ask(.string("b@example.org"), proof: proof()).status == 200)
    }

    @Test func `Requests without a valid proof count towards the limit of the network`() async throws {
        for _ in 1...10 {
            #expect(try await ask(.string(ProvenAccount.mail), proof: nil).status == 400)
        }
        #expect(try await ask(.string(ProvenAccount.mail), proof: proof()).status == 429)
        #expect(try await events().isEmpty)
    }

    @Test func `A device can ask ten times an hour, from whatever networks`() async throws {
        for number in 1...10 {
            let host = "198.51.\(number).7"
            #expect(
                try await ask(.string("a\(number)@example.org"), proof: proof(), from: host).status == 200
            )
        }
        #expect(try await ask(.string("b@example.org"), proof: proof(), from: "203.0.113.7").status == 429)
        let other = try proof(by: try SigningKey.generate())
        #expect(try await ask(.string("b@example.org"), proof: other, from: "203.0.113.7").status == 200)
    }

    @Test func `The audit log has a hash of the identifier and the client's address`() async throws {
        #expect(try await ask(.string(ProvenAccount.mail), proof: proof(), from: "192.0.2.44").status == 200)
        let event = try #require(try await events().first)
        #expect(event.subject == server.assembly.accounts.audit.hash(ProvenAccount.mail))
        #expect(event.address == "192.0.2.44")
    }

    @Test func `A form of a web page can't ask`() async throws {
        let headers: HTTP.Headers = [
            DPoPProof.header: try proof(), "Content-Type": "application/x-www-form-urlencoded",
            "Origin": "https://attacker.example",
        ]
        let body: JSONValue = .object(["identifier": .string(ProvenAccount.mail)])
        let answer = try await server.post(Route.identifierStatus, body, headers: headers)
        #expect(answer.status >= 400)
        #expect(try await events().isEmpty)
    }
}
