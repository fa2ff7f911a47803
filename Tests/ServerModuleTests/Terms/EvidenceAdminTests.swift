import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyOAuth
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeySelfService

@Suite(.onEachDatabase) struct `Answers for operators` {
    private let terms: TermsServer

    init() async throws {
        terms = try await TermsServer()
        try await terms.publish()
    }

    private func export(_ identity: String) async -> Answer {
        await terms.admin.send(.get, TermsAdminRoute.evidence + "?identity=" + identity)
    }

    @Test func `Each answer is signed with a published key`() async throws {
        let user = try await terms.register()
        #expect(try await terms.answer(user.token).status == 200)
        #expect(try await terms.answer(user.token, "refusal").status == 200)
        let lines = await export(user.id.description).entries
        #expect(lines.map { $0["evidence"]?["answer"] } == ["acceptance", "refusal"])
        #expect(lines.map { $0["evidence"]?["number"] } == [1, 2])
        let keys = await terms.admin.send(.get, TermsAdminRoute.keys)["keys"]?.elements ?? []
        for line in lines {
            let evidence = try #require(line["evidence"])
            #expect(evidence["iss"]?.text == SelfServiceServer.url && evidence["closed_at"] == nil)
            let jws = try #require(line["jws"]?.text.flatMap { CompactJWS($0) })
            let header = try JSONCoding.decode(JSONValue.self, from: jws.header)
            #expect(header["typ"] == "terms-evidence+jws" && header["alg"] == "ES256")
            let id = try #require(header["kid"]?.text)
            #expect(keys.contains { $0["kid"]?.text == id })
            let key = try #require(
                try await terms.server.assembly.tokens.keys.verifying(id, at: terms.server.time.now)
            )
            #expect(jws.isSigned(by: key))
            #expect(try JSONCoding.decode(JSONValue.self, from: jws.payload) == evidence)
        }
    }

    @Test func `The answers of erased accounts and of earlier users are exported`() async throws {
        let user = try await terms.register()
        #expect(try await terms.answer(user.token).status == 200)
        #expect(await terms.admin.send(.delete, "/admin/identities/\(user.id)").status == 204)
        let evidence = try #require(await export(user.id.description).entries.first?["evidence"])
        #expect(evidence["closed_at"]?.text != nil && evidence["session_id"] == nil)
        #expect((evidence["identity_hash"]?.text ?? "").utf8.count >= 43)
    }

    @Test(arguments: ["", "x", "person1@example.org"]) func `The account is named by its id`(_ id: String)
        async
    {
        #expect(await export(id).status == 400)
        #expect(await export(Identifier().description).entries == [])
    }

    @Test func `The coverage counts the accounts of each document, version and client`() async throws {
        try await terms.publish(document: ["key": #""game""#, "client_id": #""game""#])
        await terms.client("game")
        await terms.client("news", #""terms": ["game"]"#)
        var users: [TermsServer.User] = []
        for (number, client) in [(1, nil), (2, "game"), (3, "game"), (4, "news")] {
            users.append(try await terms.register(number, at: client))
        }
        for user in users.prefix(3) { #expect(try await terms.answer(user.token).status == 200) }
        #expect(try await terms.answer(users[1].token, "acceptance", 1, ["document": "game"]).status == 200)
        try await terms.publish(2)
        #expect(try await terms.answer(users[2].token, "acceptance", 2).status == 200)

        let status = await terms.admin.send(.get, TermsAdminRoute.status)
        let bodies = try JSONCoding.decode([TermsStatusBody].self, from: status.response.body)
        #expect(
            bodies == [
                TermsStatusBody(
                    document: "game",
                    required: 1,
                    accounts: 2,
                    answered: 1,
                    versions: [.init(version: 1, accounts: 1)],
                    clients: [
                        .init(clientID: "game", accounts: 2, answered: 1),
                        .init(clientID: "news", accounts: 1, answered: 0),
                    ]
                ),
                TermsStatusBody(
                    document: "shop",
                    required: 2,
                    accounts: 4,
                    answered: 1,
                    versions: [.init(version: 1, accounts: 2), .init(version: 2, accounts: 1)],
                    clients: [.init(clientID: "game", accounts: 2, answered: 1)]
                ),
            ]
        )
    }
}
