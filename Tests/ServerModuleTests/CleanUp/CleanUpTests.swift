import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Clean-up` {
    private func cleanUp(
        _ server: SelfServiceServer,
        batch: Int = 3,
        interval: Duration = .seconds(60)
    ) -> CleanUp {
        CleanUp(
            server.assembly.expiredRows,
            in: server.resources.database,
            time: server.time,
            interval: interval,
            batch: batch
        )
    }

    private static let tables = ["flows", "codes", "sessions", "token_families", "messages", "limits"]

    /// Inserts rows of every kind that the clean-up deletes.
    ///
    /// All of the rows expire at the same time.
    private func insertRows(expiring end: Timestamp, on server: SelfServiceServer) async throws {
        try await server.register()
        _ = try await server.login("person1@example.org", "wrong-password")
        let flow = await server.begin(.login)
        _ = try await server.submitCode(.login, flow, ["identifier": "person1@example.org"])
        await server.messagesAreSent()
        try await server.resources.database.transaction { transaction in
            _ = try transaction.execute(
                """
                INSERT INTO token_families (session_id, key_thumbprint, used, opened_at, used_at) \
                SELECT id, token_hash, 0, issued_at, issued_at FROM sessions
                """
            )
            _ = try transaction.execute("UPDATE flows SET expires_at = $1", .time(end))
            _ = try transaction.execute("UPDATE codes SET expires_at = $1", .time(end))
            _ = try transaction.execute("UPDATE sessions SET expires_at = $1", .time(end))
            _ = try transaction.execute("UPDATE messages SET due_at = $1", .time(end))
            _ = try transaction.execute("UPDATE limits SET expires_at = $1", .time(end))
        }
    }

    @Test func `Each kind of row is deleted at the end of its retention period`() async throws {
        let server = try await SelfServiceServer()
        let end = server.time.now + .seconds(60)
        try await insertRows(expiring: end, on: server)
        let cleanUp = cleanUp(server, interval: .zero)
        var left = Set(Self.tables)
        let day: Duration = .seconds(86_400)
        for (retention, gone) in [
            // When a flow has a code, both are deleted together. The registration flow is deleted later.
            (.zero, ["limits"]), (.seconds(600), ["codes"]), (day, ["flows"]), (day * 7, ["messages"]),
            (day * 30, ["sessions", "token_families"]),
        ] as [(Duration, [String])] {
            for (moment, gone) in [(retention - .milliseconds(1), []), (retention + .milliseconds(1), gone)] {
                server.time.advance(by: end + moment - server.time.now)
                try await cleanUp.round()
                left.subtract(gone)
                for table in Self.tables {
                    #expect(
                        (try await server.count(table) > 0) == left.contains(table),
                        "\(table), \(moment)"
                    )
                }
            }
        }
        #expect(left.isEmpty)
    }

    @Test func `Only rows that have expired are deleted`() async throws {
        let server = try await SelfServiceServer { $0.limits = .unlimited }
        let token = try #require(try await server.register()["session_token"]?.text)
        for _ in 0..<7 {
            let flow = await server.begin(.login)
            _ = try await server.submitCode(.login, flow, ["identifier": "person1@example.org"])
        }
        for _ in 0..<3 { #expect(try await server.login().status == 200) }
        await server.messagesAreSent()
        let cleanUp = cleanUp(server)
        let early = try await cleanUp.round()
        #expect(early?.values.allSatisfy { $0 == 0 } == true)
        server.time.advance(by: .seconds(2 * 86_400))
        let later = try await cleanUp.round()
        // One of the deleted flows is the registration flow.
        #expect(later?[.flows] == 11)
        #expect(try await server.count("codes") == 0)
        #expect(later?[.sessions] == 0)
        #expect(try await server.count("flows") == 0)
        #expect(await server.get("/sessions/whoami", token: token).status == 200)
        server.time.advance(by: .seconds(8 * 86_400))
        #expect(try await cleanUp.round()?[.messages] == 7)
        server.time.advance(by: .seconds(60 * 86_400))
        #expect(try await cleanUp.round()?[.sessions] == 4)
        #expect(try await server.count("sessions") == 0)
        #expect(try await server.count("identities") == 1)
    }

    @Test func `Rows are deleted in small batches`() async throws {
        let server = try await SelfServiceServer { $0.limits = .unlimited }
        try await server.register()
        for _ in 0..<4 { #expect(try await server.login().status == 200) }
        for _ in 0..<5 {
            let flow = await server.begin(.login)
            _ = try await server.submitCode(.login, flow, ["identifier": "person1@example.org"])
        }
        await server.messagesAreSent()
        server.time.advance(by: .seconds(365 * 86_400))
        let statements = try await server.database.work { try await cleanUp(server, batch: 2).round() }
        func count(_ statement: String) -> Int { statements.count { $0.hasPrefix(statement) } }
        // For each kind of row, batches of two are deleted until a batch isn't full. There are five
        // unfinished flows with one code each, five other flows, no other codes, five messages and five
        // sessions.
        #expect(count("DELETE FROM flows") == 6)
        #expect(count("DELETE FROM codes") == 7)
        #expect(count("DELETE FROM messages") == 3)
        #expect(count("SELECT id FROM sessions") == 3)
        #expect(count("DELETE FROM sessions") == 5)
    }

    @Test func `The id of a deleted flow is still rejected`() async throws {
        let server = try await SelfServiceServer()
        let flow = await server.begin(.registration)
        let body = JSONValue.object([
            "method": "password", "password": .string(SelfServiceServer.password),
            "traits": SelfServiceServer.traits(),
        ])
        #expect(try await server.submit(.registration, flow, body).status == 200)
        server.time.advance(by: .seconds(2 * 86_400))
        #expect(try await cleanUp(server).round()?[.flows] == 1)
        #expect(try await server.submit(.registration, flow, body).status == 410)
    }

    @Test func `Flows without an account are deleted ten minutes after they expire`() async throws {
        let server = try await SelfServiceServer {
            $0.limits = .unlimited
            $0.flows.returnURLs = ["https://app.example.com/"]
        }
        let token = try #require(try await server.register()["session_token"]?.text)
        server.time.advance(by: .seconds(2 * 86_400))
        let cleanUp = cleanUp(server, batch: 500, interval: .zero)
        #expect(try await cleanUp.round()?[.flows] == 1)

        // Completed flows and flows that belong to an account are kept for a day.
        _ = await server.begin(.settings, token: token)
        _ = await server.begin(.login, "?refresh=true", token: token)
        #expect(try await server.login().status == 200)
        let refused = await server.begin(.registration)
        _ = try await server.submit(.registration, refused, .object(["method": "password"]))
        let returning = await server.begin(.login, "?return_to=https://app.example.com/")
        let waiting = await server.begin(.login)
        _ = try await server.submitCode(.login, waiting, ["identifier": "unknown@example.org"])
        await server.messagesAreSent()
        #expect(try await server.count("flows") == 6)

        server.time.advance(by: .seconds(1199))
        #expect(try await cleanUp.round()?[.flows] == 0)
        server.time.advance(by: .seconds(2))
        let tally = try await cleanUp.round()
        #expect(tally?[.flows] == 3)
        #expect(try await server.count("flows") == 3)
        #expect(try await server.count("codes") == 0)

        // Submissions to the deleted flows still get status 410 and a replacement.
        for (kind, flow) in [(FlowKind.registration, refused), (.login, returning), (.login, waiting)] {
            let answer = try await server.submit(kind, flow, .object(["method": "password"]))
            #expect(answer.status == 410)
            #expect(answer.errorID == .flowExpired)
            let next = try #require(answer["use_flow_id"]?.text)
            #expect(await server.get("/self-service/\(kind.rawValue)/flows?id=\(next)").status == 200)
            let shown = await server.get("/self-service/\(kind.rawValue)/flows?id=\(flow)")
            #expect(shown.status == 410)
            #expect(shown["use_flow_id"] == nil)
            #expect(shown["error"]?["reason"]?.text?.contains("use_flow_id") == false)
        }
    }

    @Test func `A single clean-up round deletes more expired flows than fit into one batch`() async throws {
        let server = try await SelfServiceServer()
        for _ in 0..<120 {
            let flow = await server.begin(.login)
            _ = try await server.submit(.login, flow, .object(["method": "password"]))
        }
        server.time.advance(by: .seconds(1201))
        #expect(try await cleanUp(server, batch: 25).round()?[.flows] == 120)
        #expect(try await server.count("flows") == 0)
    }

    @Test func `Rate limit counters are deleted once they have expired`() async throws {
        let server = try await SelfServiceServer()
        _ = try await server.login("person1@example.org", "wrong-password")
        let cleanUp = cleanUp(server)
        #expect(try await cleanUp.round()?[.limits] == 0)
        server.time.advance(by: .seconds(86_400))
        #expect(try await cleanUp.round()?[.limits] == 4)
    }

    @Test func `Only one node runs the clean-up at a time`() async throws {
        let server = try await SelfServiceServer()
        let nodes = (0..<10).map { _ in cleanUp(server) }
        let done = try await withThrowingTaskGroup(of: Bool.self) { group in
            for node in nodes { group.addTask { try await node.round() != nil } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(done == 1)
        // If a node crashes, its lease expires.
        server.time.advance(by: .seconds(300))
        #expect(try await nodes[3].round() != nil)
    }

    @Test func `If one kind of row can't be deleted, the others are deleted and the first error is thrown`()
        async throws
    {
        let server = try await SelfServiceServer()
        let deleted = Locked<[String]>([])
        let cleanUp = CleanUp(
            ["first", "broken", "second", "also broken"].map { name in
                ExpiredRows(.init(stringLiteral: name)) { _, _, _ in
                    deleted.withLock { $0.append(name) }
                    if name.hasSuffix("broken") { throw DatabaseError(.failed, message: name) }
                    return 0
                }
            },
            in: server.resources.database,
            time: server.time
        )

        let error = await #expect(throws: DatabaseError.self) { try await cleanUp.round() }

        #expect(deleted.withLock { $0 } == ["first", "broken", "second", "also broken"])
        #expect(error?.message == "broken")
    }

    @Test func `A round that is cancelled deletes at most one more batch of each kind`() async throws {
        let server = try await SelfServiceServer()
        let batches = Locked<[ExpiredRows.Kind]>([])
        let kinds: [ExpiredRows.Kind] = ["first", "second"]
        let rows = kinds.map { kind in
            ExpiredRows(kind) { _, limit, _ in
                // Without the cancellation, there would be three full batches.
                batches.withLock { batches in
                    batches.append(kind)
                    return batches.count { $0 == kind } > 3 ? 0 : limit
                }
            }
        }
        let cancelling = ExpiredRows(
            "cancelling",
            byTransactions: { _, _, _ in
                withUnsafeCurrentTask { $0?.cancel() }
                return 0
            }
        )
        let cleanUp = CleanUp([cancelling] + rows, in: server.resources.database, time: server.time)

        _ = try await Task { try await cleanUp.round() }.value

        #expect(batches.withLock { $0 } == kinds)
    }
}
