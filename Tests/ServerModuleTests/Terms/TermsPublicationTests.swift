import Foundation
import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Publishing terms` {
    private typealias JSON = `Publications of terms`

    private static let rounds = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 25 : 1_000

    private func publish(
        _ documents: String...,
        to server: AdminServer,
        dryRun: Bool = false
    ) async -> Answer {
        await server.send(
            .post,
            TermsAdminRoute.publications,
            #"{"dry_run": \#(dryRun), "documents": [\#(documents.joined(separator: ","))]}"#
        )
    }

    private func changes(_ answer: Answer) -> [String] {
        (answer["changes"]?.array ?? []).map { change in
            [change["change"]?.text, change["document"]?.text, change["version"]?.integer.map(String.init)]
                .compactMap { $0 }.joined(separator: " ")
        }
    }

    private func documents(_ server: AdminServer) async -> [JSONValue] {
        await server.send(.get, TermsAdminRoute.documents).entries
    }

    private func actions(_ server: AdminServer) async throws -> [String] {
        try await AuditLog.events(of: .nilUUID, limit: 100, in: server.database)
            .map { "\($0.action.rawValue) \($0.subject ?? "")" }.sorted()
    }

    @Test func `Publishing the same documents again changes nothing`() async throws {
        let server = try await AdminServer()
        let document = JSON.document()
        let first = await publish(document, to: server)
        #expect(first.status == 200, "\(first.reason)")
        #expect(changes(first) == ["document_added shop", "version_added shop 1"])
        let stored = await documents(server)
        server.people.time.advance(by: .seconds(60))

        let again = await publish(document, to: server)

        #expect(again.status == 200 && changes(again).isEmpty)
        #expect(await documents(server) == stored && stored.count == 1)
        #expect(try await actions(server) == ["terms.published shop 1"])
        let catalog = server.people.assembly.terms
        #expect(try await catalog.documents().map(\.key) == ["shop"])
    }

    @Test func `Another text under a published number is refused, and nothing of the publication is stored`()
        async throws
    {
        let server = try await AdminServer()
        #expect(await publish(JSON.document(), to: server).status == 200)
        let stored = await documents(server)
        let changed = JSON.text(#"{"language": "en", "text": "Be unkind."}"#)

        let answer = await publish(JSON.document(["key": #""new""#]), changed, to: server)

        #expect(answer.status == 409)
        #expect(answer["error"]?["id"] == "terms_immutable")
        #expect(answer.reason == "shop/1/en: another text was published")
        #expect(await documents(server) == stored)
    }

    @Test func `All mistakes are in the answer, and nothing is stored`() async throws {
        let server = try await AdminServer()
        let answer = await publish(
            JSON.document(["key": #""good""#]),
            JSON.document(["kind": "1", "titles": "1"]),
            to: server
        )
        #expect(answer.status == 400)
        #expect(answer.reason.contains("shop: kind must be one of"), "\(answer.reason)")
        #expect(answer.reason.contains("shop: titles must be an object"))
        #expect(await documents(server).isEmpty)
    }

    @Test func `A version can't take effect before it is published`() async throws {
        let server = try await AdminServer()
        let time = server.people.time.now - .seconds(1)
        let version = JSON.version(["effective_at": #""\#(time)""#])
        let answer = await publish(JSON.document(["versions": "[\(version)]"]), to: server)
        #expect(answer.status == 400 && answer.reason.contains("effective_at is in the past"))
        #expect(await documents(server).isEmpty)
    }

    @Test func `A dry run changes nothing`() async throws {
        let server = try await AdminServer()
        let answer = await publish(JSON.document(), to: server, dryRun: true)
        #expect(changes(answer) == ["document_added shop", "version_added shop 1"])
        #expect(await documents(server).isEmpty)
        #expect(try await actions(server).isEmpty)
    }

    @Test(arguments: [
        "[]", "{}", #"{"documents": [], "dryrun": true}"#, #"{"documents": [], "dry_run": 1}"#,
    ]) func `A body with other members is refused`(_ body: String) async throws {
        let server = try await AdminServer()
        #expect(await server.send(.post, TermsAdminRoute.publications, body).status == 400)
    }

    @Test func `The changes contain the number of accounts that are asked`() async throws {
        let server = try await AdminServer()
        for number in 1...3 { _ = try await server.id(number) }
        let answer = await publish(
            JSON.document(),
            JSON.document(["key": #""app""#, "client_id": #""shop-app""#]),
            JSON.document([
                "key": #""quiet""#, "versions": "[\(JSON.version(["asks": #""nothing""#]))]",
            ]),
            to: server
        )
        let accounts = (answer["changes"]?.array ?? []).filter { $0["version"] != nil }
            .map { $0["accounts"]?.integer }
        #expect(accounts == [3, 0, nil])
        #expect(answer["warnings"]?.array == ["app: the client shop-app isn't registered"])
    }

    @Test func `A text is shown with its hash in the requested language`() async throws {
        let server = try await AdminServer()
        let texts =
            #"{"language": "en", "text": "a\r\nb\n", "summary": "New."}, {"language": "nb", "text": "Å"}"#
        #expect(await publish(JSON.text(texts), to: server).status == 200)
        let path = TermsAdminRoute.version("1", of: "shop")
        let english = await server.send(.get, path)
        #expect(english["text"] == "a\r\nb\n" && english["summary"] == "New." && english["language"] == "en")
        let hash = Base64URL.encode(SHA256Hash.hash(Array("a\r\nb\n".utf8)))
        #expect(english["hash"]?.text == hash)
        #expect(await server.send(.get, path + "?language=nb")["text"] == "Å")
        for unknown in [
            path + "?language=fi", TermsAdminRoute.version("2", of: "shop"),
            TermsAdminRoute.version("x", of: "shop"), TermsAdminRoute.version("1", of: "other"),
        ] {
            #expect(await server.send(.get, unknown).status == 404, "\(unknown)")
        }
        #expect(await server.send(.get, path + "?lang=nb").status == 400)
    }

    @Test func `Operators who publish different texts under one number at once get one version`() async throws
    {
        let server = try await AdminServer()
        for round in 1...Self.rounds {
            let documents = ["a", "b"].map { words in
                JSON.document([
                    "key": #""race-\#(round)""#,
                    "versions":
                        "[\(JSON.version(["texts": #"[{"language": "en", "text": "\#(words)"}]"#]))]",
                ])
            }
            let statuses = await withTaskGroup(of: Int.self) { group in
                for document in documents { group.addTask { await publish(document, to: server).status } }
                return await group.reduce(into: []) { $0.append($1) }.sorted()
            }
            #expect(statuses == [200, 409])
        }
        #expect(await documents(server).count == Self.rounds)
    }

    @Test func `Numbers only grow, even if operators publish at once`() async throws {
        let server = try await AdminServer()
        for round in 1...Self.rounds {
            let key = "race-\(round)"
            let statuses = await withTaskGroup(of: (Int, Int).self) { group in
                for number in [1, 2] {
                    let version = JSON.version(["number": "\(number)"])
                    let document = JSON.document(["key": #""\#(key)""#, "versions": "[\(version)]"])
                    group.addTask { (number, await publish(document, to: server).status) }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            #expect(statuses[2] == 200 && [200, 409].contains(statuses[1] ?? 0))
        }
        // A refused version 1 must not be stored.
        for document in try await server.people.assembly.terms.documents() {
            #expect(document.versions.last?.number == 2)
        }
    }

    @Test func `Publishing writes as many rows for one account as for many`() async throws {
        var counts: [Int] = []
        for accounts in [1, 20] {
            let server = try await AdminServer()
            for number in 1...accounts { _ = try await server.id(number) }
            let tables: SQL = "SELECT COUNT(*) FROM terms_versions"
            #expect(await publish(JSON.document(), to: server).status == 200)
            counts.append(Int(try await server.database.rows(tables).first?.integer(0) ?? 0))
            #expect(try await actions(server).count == 1)
        }
        #expect(counts == [1, 1])
    }
}
