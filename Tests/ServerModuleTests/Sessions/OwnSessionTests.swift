import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Other sessions of the same user` {
    /// Registers a user and creates the given number of additional sessions.
    private func person(_ others: Int, on server: SelfServiceServer) async throws -> (
        own: String, others: [String]
    ) {
        let own = try #require(try await server.register()["session_token"]?.text)
        var tokens: [String] = []
        for _ in 0..<others { tokens.append(try #require(try await server.login()["session_token"]?.text)) }
        return (own, tokens)
    }

    private func id(_ token: String, on server: SelfServiceServer) async -> String {
        await server.get("/sessions/whoami", token: token)["id"]?.text ?? "none"
    }

    @Test func `The list doesn't contain sessions of other users`() async throws {
        let server = try await SelfServiceServer()
        let (own, others) = try await person(3, on: server)
        try await server.register(2)
        _ = try await server.delete(
            "/self-service/logout/api",
            .object(["session_token": .string(others[2])])
        )
        let list = await server.get("/sessions", token: own)
        #expect(list.status == 200)
        #expect(list.response.headers["X-Total-Count"] == "2")
        #expect(list.response.headers["Link"]?.contains("rel=\"first\"") == true)
        var expected: Set<String> = []
        for token in others.prefix(2) { expected.insert(await id(token, on: server)) }
        #expect(Set(list.body.elements.compactMap { $0["id"]?.text }) == expected)
        #expect(list.body.elements.allSatisfy { $0["active"] == .bool(true) })
        #expect(list.body.elements.first?["identity"]?["traits"] == SelfServiceServer.traits())
        #expect(await server.get("/sessions").status == 401)
    }

    @Test func `Sessions without a device certificate are ended and counted but not listed`()
        async throws
    {
        let server = try await SelfServiceServer(schema: "customer")
        let own = try await server.customer()
        for _ in 1...2 {
            let login = try await server.login("+439999999999", "000000")
            try #require(login["session_token"] != nil, "\(login.body)")
        }
        #expect(await server.get("/sessions", token: own).response.headers["X-Total-Count"] == "0")
        #expect(await server.delete("/sessions", token: own)["count"] == .integer(2))
        #expect(await server.delete("/sessions", token: own)["count"] == .integer(0))
    }

    @Test func `A session isn't listed until its device has a certificate`() async throws {
        let server = try await SelfServiceServer(schema: "customer")
        let own = try await server.customer()
        for _ in 1...2 {
            let login = try await server.login("+439999999999", "000000")
            try #require(login["session_token"] != nil, "\(login.body)")
        }
        let provisional = try #require(
            try await server.database.rows("SELECT id FROM sessions WHERE needs_certificate = 1 ORDER BY id")
                .first
        ).identifier(0)
        #expect(await server.get("/sessions", token: own).response.headers["X-Total-Count"] == "0")
        _ = try await server.database.transaction { transaction in
            try transaction.execute(
                "UPDATE sessions SET needs_certificate = 0 WHERE id = $1",
                .identifier(provisional)
            )
        }
        let list = await server.get("/sessions", token: own)
        #expect(list.response.headers["X-Total-Count"] == "1")
        #expect(list.body.elements.map { $0["id"]?.text } == [provisional.description])
    }

    @Test func `Sessions are listed in pages`() async throws {
        let server = try await SelfServiceServer()
        let (own, _) = try await person(5, on: server)
        var seen: Set<String> = []
        var path = "/sessions?page_size=2"
        for expected in [2, 2, 1] {
            let page = await server.get(path, token: own)
            #expect(page.body.elements.count == expected)
            seen.formUnion(page.body.elements.compactMap { $0["id"]?.text })
            let links = page.response.headers["Link"]?.split(separator: ",") ?? []
            let next = links.first { $0.contains("rel=\"next\"") }?.prefix { $0 != ">" }.dropFirst()
            path = next.map { String($0.dropFirst("/a".count)) } ?? "/none"
        }
        #expect(seen.count == 5)
        #expect(path == "/none")
        #expect(await server.get("/sessions?page_token=x", token: own).status == 400)
    }

    @Test func `Ending all other sessions returns the number of sessions that were ended`() async throws {
        let server = try await SelfServiceServer()
        let (own, others) = try await person(3, on: server)
        let ended = await server.delete("/sessions", token: own)
        #expect(ended.status == 200)
        #expect(ended["count"] == .integer(3))
        for token in others { #expect(await server.get("/sessions/whoami", token: token).status == 401) }
        #expect(await server.get("/sessions/whoami", token: own).status == 200)
        #expect(await server.delete("/sessions", token: own)["count"] == .integer(0))
        #expect(await server.delete("/sessions").status == 401)
    }

    @Test func `Revoking the same session twice succeeds both times`() async throws {
        let server = try await SelfServiceServer()
        let (own, others) = try await person(2, on: server)
        let id = await id(others[0], on: server)
        for _ in 0..<2 { #expect(await server.delete("/sessions/\(id)", token: own).status == 204) }
        #expect(await server.get("/sessions/whoami", token: others[0]).status == 401)
        #expect(await server.get("/sessions/whoami", token: others[1]).status == 200)
    }

    @Test func `Users can't end their current session or sessions of other users`() async throws {
        let server = try await SelfServiceServer()
        let (own, _) = try await person(0, on: server)
        let other = try #require(try await server.register(2)["session_token"]?.text)
        let ownID = await id(own, on: server)
        #expect(await server.delete("/sessions/\(ownID)", token: own).status == 400)
        #expect(await server.delete("/sessions/zz", token: own).status == 400)
        let otherID = await id(other, on: server)
        #expect(await server.delete("/sessions/\(otherID)", token: own).status == 204)
        #expect(await server.get("/sessions/whoami", token: other).status == 200)
        #expect(await server.delete("/sessions/\(otherID)").status == 401)
    }

    @Test func `Requests that use a session while it is ended either succeed or are rejected`() async throws {
        let server = try await SelfServiceServer()
        let (own, others) = try await person(1, on: server)
        let id = await id(others[0], on: server)
        let statuses = await withTaskGroup(of: Int.self) { group in
            for number in 0..<40 {
                group.addTask {
                    number == 20
                        ? await server.delete("/sessions/\(id)", token: own).status
                        : await server.get("/sessions/whoami", token: others[0]).status
                }
            }
            return await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.allSatisfy { [200, 204, 401].contains($0) })
        #expect(await server.get("/sessions/whoami", token: others[0]).status == 401)
    }
}
