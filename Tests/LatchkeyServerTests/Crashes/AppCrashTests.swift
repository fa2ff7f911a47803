import Foundation
import LatchkeyModel
import LatchkeyServerKit
import TestDatabases
import TestProcesses
import Testing

/// Tests of an app that is killed while it buys a product, delivers it or reports the delivery.
@Suite(.serialized, .timeLimit(.minutes(crashMinutes))) struct `Purchases in an app that is killed` {
    /// The number of rounds on each database, which is 500 with `scripts/check --deep`.
    private static let rounds = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 20 : 500

    /// The points of a purchase at which the app is killed, in chronological order.
    ///
    /// The app writes to its store before and after the order, and before and after it reports the delivery.
    private static let points = [
        "beforeWrite:1", "afterWrite:1", "beforeOrder", "afterOrder", "beforeWrite:2", "afterWrite:2",
        "beforeWrite:3", "afterWrite:3", "beforeFinish", "afterFinish", "beforeWrite:4", "afterWrite:4",
    ]

    @Test(arguments: TestDatabase.all)
    func `Purchases are charged once and delivered at the next start`(database: TestDatabase) async throws {
        let folder = TemporaryFolder()
        let url = database == .postgreSQL ? try await PostgresPool.shared.makeBare() : nil
        let flags = try BuyerAccount.serverFlags(catalogIn: folder.path, database: url)
        let server = try await ServerProcess(data: folder.path + "/data", flags: flags)
        _ = try await BuyerAccount.create(on: FlowClient(server))
        let probe = SessionProbe(server: server.url, folder: folder.path + "/app")
        let login = try await probe.run("login:\(BuyerAccount.email):\(BuyerAccount.password)")
        try #require(login.output == "in\n", "\(login.text)")
        let deliver = "deliver:\(folder.path)/delivered"
        let seed = UInt64.random(in: 0...UInt64.max)
        var dice = SeededDice(seed: seed)
        var purchases = 0

        for round in 0..<Self.rounds {
            // Kill the app once at each point, and then at random points.
            let point =
                round < Self.points.count
                ? Self.points[round] : Self.points[Int.random(in: 0..<Self.points.count, using: &dice)]
            let outcome = try await probe.run(deliver, "die:\(point)", "buy:coins", deliver)
            #expect(outcome.code == -SIGKILL, "seed \(seed), round \(round), \(point): \(outcome.text)")
            // A purchase only begins once its order is stored.
            if point != "beforeWrite:1" { purchases += 1 }
            let delivered = try Self.deliveries(in: folder.path)
            #expect(delivered.allSatisfy { $0.value <= 2 }, "seed \(seed), round \(round), \(point)")
        }
        let last = try await probe.run(deliver, deliver)
        #expect(last.output.hasSuffix("delivered 0\n"), "\(last.text)")
        await server.stop(SIGTERM)

        let stored = try await BuyerAccount.openDatabase(in: folder.path + "/data", url: url)
        try await BuyerAccount.expectCharges(purchases, in: stored)
        let rows = try await stored.rows("SELECT id FROM purchases WHERE finished_at IS NOT NULL")
        let finished = Set(try rows.map { try $0.identifier(0).description })
        await stored.close()
        let delivered = try Self.deliveries(in: folder.path)
        #expect(finished == Set(delivered.keys), "seed \(seed)")
        #expect(finished.count == purchases, "seed \(seed)")
        print("Killed the app \(Self.rounds) times on \(database) between \(purchases) purchases")
    }

    /// Returns the number of times that the app has delivered each transaction.
    private static func deliveries(in folder: String) throws -> [String: Int] {
        let text = (try? String(contentsOfFile: folder + "/delivered", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").reduce(into: [:]) { $0[String($1), default: 0] += 1 }
    }
}
