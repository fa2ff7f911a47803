import Foundation
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire
import TestDatabases
import TestProcesses
import Testing

/// Tests the server process by killing it while it charges purchases.
@Suite(.serialized, .timeLimit(.minutes(crashMinutes))) struct `Purchase recovery after a crash` {
    /// The number of rounds for each database.
    ///
    /// `scripts/check --deep` runs 500 rounds.
    private static let rounds = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 20 : 500
    private static let lanes = 4

    @Test(arguments: TestDatabase.all)
    func `Purchases are neither lost nor charged twice`(database: TestDatabase) async throws {
        let folder = TemporaryFolder()
        let url = database == .postgreSQL ? try await PostgresPool.shared.makeBare() : nil
        let flags = try BuyerAccount.serverFlags(catalogIn: folder.path, database: url)
        let seed = UInt64.random(in: 0...UInt64.max)
        var dice = SeededDice(seed: seed)
        var server = try await ServerProcess(data: folder.path + "/data", flags: flags)
        let token = try await BuyerAccount.create(on: FlowClient(server))
        /// The transactions of all orders that may have reached a server, by idempotency key.
        var orders: [String: String?] = [:]

        for round in 0..<Self.rounds {
            let victim = server
            let attempts = try await Self.orders(
                of: round,
                at: try FlowClient(victim),
                token: token,
                killing: victim,
                after: Int.random(in: 1...20, using: &dice)
            )
            orders.merge(attempts) { _, new in new }
            server = try await ServerProcess(data: folder.path + "/data", flags: flags)
            guard round < Self.rounds - 1 else { continue }
            let back = try FlowClient(server)
            for (key, known) in attempts {
                let answer = try #require(await Self.order(key, at: back, token: token))
                let transaction = answer["transaction"]
                #expect(transaction?["state"] == "purchased", "seed \(seed), \(key): \(answer.body)")
                if let known { #expect(transaction?["id"]?.text == known, "seed \(seed), \(key)") }
                orders[key] = transaction?["id"]?.text
            }
        }
        // The recovery completes purchases from the last round, which are not repeated by any client.
        let client = try FlowClient(server)
        var transactions: [JSONValue] = []
        try await wait(until: "no purchase is without a result") {
            transactions = try await Self.unfinished(at: client, token: token)
            return transactions.allSatisfy { $0["state"] == "purchased" }
        }
        await server.stop(SIGTERM)

        let ids = transactions.compactMap { $0["id"]?.text }
        let known = orders.values.compactMap { $0 }
        #expect(Set(known).isSubset(of: ids), "seed \(seed)")
        #expect(Set(ids).count == ids.count && ids.count <= orders.count)
        let stored = try await BuyerAccount.openDatabase(in: folder.path + "/data", url: url)
        try await BuyerAccount.expectCharges(ids.count, in: stored)
        await stored.close()
        print("Killed \(Self.rounds) times on \(database) between \(ids.count) purchases")
    }

    private static func order(_ key: String, at client: FlowClient, token: String) async -> FlowClient.Answer?
    {
        await client.commerce(
            .post,
            Route.Commerce.orders,
            .object(["product_id": "coins"]),
            token: token,
            key: key
        )
    }

    /// Places orders on several connections until the server is killed after a number of responses.
    ///
    /// - Returns: The transaction for each order's idempotency key, or `nil` if the order got no response.
    private static func orders(
        of round: Int,
        at client: FlowClient,
        token: String,
        killing victim: ServerProcess,
        after count: Int
    ) async throws -> [String: String?] {
        let countdown = Countdown(from: count)
        return await withTaskGroup(of: [String: String?].self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    var orders: [String: String?] = [:]
                    for number in 0..<1000 {
                        let key = "round-\(round)-\(lane)-\(number)"
                        let answer = await order(key, at: client, token: token)
                        orders[key] = .some(answer?["transaction"]?["id"]?.text)
                        if answer == nil { break }
                        if countdown.reachesZero() { await victim.stop(SIGKILL) }
                    }
                    return orders
                }
            }
            return await group.reduce(into: [:]) { $0.merge($1) { _, new in new } }
        }
    }

    /// Requests all unfinished transactions, as the app does when it is launched again.
    private static func unfinished(at client: FlowClient, token: String) async throws -> [JSONValue] {
        var transactions: [JSONValue] = []
        var query = "unfinished=true"
        while true {
            let answer = try #require(
                await client.commerce(.get, Route.Commerce.transactions, query: query, token: token)
            )
            guard case .array(let page)? = answer["transactions"] else { return transactions }
            transactions += page
            guard let next = answer["next_page_token"]?.text else { return transactions }
            query = "unfinished=true&page_token=\(next)"
        }
    }
}
