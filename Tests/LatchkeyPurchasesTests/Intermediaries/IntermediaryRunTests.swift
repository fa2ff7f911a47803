import Foundation
import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestProcesses
import TestStore
import Testing

@testable import LatchkeyPurchases

/// Lets users buy, finish and restart at random while an intermediary interferes with a part of all exchanges.
@Suite(.timeLimit(.minutes(60))) struct `Purchases behind an intermediary` {
    /// The number of runs, which is 10,000 with `scripts/check --deep`.
    private static let runs = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 120 : 10_000
    private static let lanes = 2

    @Test(arguments: 0..<lanes)
    func `No order is charged twice and no purchase, session or reminder is lost`(lane: Int) async throws {
        let base = UInt64.random(in: 0...UInt64.max)
        var server = try await TestServer.withStore()
        for number in 0..<(Self.runs / Self.lanes) {
            if number % 500 == 499 {
                await server.stop()
                server = try await TestServer.withStore()
            }
            let seed = base &+ UInt64(number)
            var run = try await IntermediaryRun(server, number: number, seed: seed)
            try await run.perform()
            for violation in try await run.violations() {
                Issue.record("seed \(seed): \(violation)\n\(run.log.joined(separator: "\n"))")
            }
        }
        await server.stop()
    }
}

/// One user of an app whose network interferes with about a third of all exchanges.
private struct IntermediaryRun {
    /// A purchase that the user has asked for once.
    private struct Intent {
        let key: String
        /// Whether the app was told that no order was placed.
        var isRefused = false
    }

    private(set) var log: [String] = []
    private let intermediary: Intermediary
    private var app: StoreApp
    private var dice: SeededDice
    private var intents: [Intent] = []
    private var finished: Set<String> = []

    init(_ server: TestServer, number: Int, seed: UInt64) async throws {
        server.time.advance(by: .seconds(86_400))
        let bystander = try await Bystander(server, number: number)
        (app, intermediary) = (bystander.app, bystander.intermediary)
        dice = SeededDice(seed: seed)
    }

    mutating func perform() async throws {
        let product = try await app.product(TestProduct.coins)
        let interferences = SeededInterferences(seed: dice.next())
        intermediary.interfere { _ in interferences.next() }
        for _ in 0..<Int.random(in: 0..<10, using: &dice) + 3 {
            switch Int.random(in: 0..<8, using: &dice) {
            case 0, 1, 2: await buy(product)
            case 3, 4: await finish()
            case 5: await note("refresh") { [app] in try await app.purchases.refresh() }
            case 6: await note("check") { [app] in _ = try await app.client.checkSession() }
            default:
                log.append("restart")
                app = try app.restarted()
            }
            app.server.time.advance(by: .seconds(400))
        }
        intermediary.interfere(nil)
    }

    private mutating func buy(_ product: StoreProduct) async {
        let order = app.purchases.order(of: product.id, price: product.price)
        var intent = Intent(key: order.key)
        do throws(PurchaseError) {
            let transaction = try await app.purchases.buy(order)
            log.append("buy: \(transaction.state.rawValue)")
        } catch {
            log.append("buy: \(error)")
            intent.isRefused = error.code != .outcomeUnknown
        }
        intents.append(intent)
    }

    private mutating func finish() async {
        let open = app.purchases.unfinishedTransactions.filter { !$0.state.isPending }
        guard !open.isEmpty else { return }
        let id = open[Int.random(in: 0..<open.count, using: &dice)].id
        if await note("finish", { [app] in try await app.purchases.finish(id) }) { finished.insert(id) }
    }

    @discardableResult
    private mutating func note(_ name: String, _ call: () async throws -> Void) async -> Bool {
        do {
            try await call()
            log.append("\(name): ok")
            return true
        } catch {
            log.append("\(name): \(error)")
            return false
        }
    }

    /// Restarts the app on a network without interference, and returns the rules that were broken.
    mutating func violations() async throws -> [String] {
        var violations: [String] = []
        app = try app.restarted()
        guard try await app.client.checkSession().session != nil else { return ["the session is lost"] }
        for _ in 0..<3 {
            app.server.time.advance(by: .seconds(400))
            try await app.purchases.refreshed()
        }
        let record = try await app.purchases.record.read()
        if !record.orders.isEmpty { violations.append("an order is still unknown") }
        if !record.finished.isEmpty { violations.append("the server doesn't know of a finished transaction") }

        let transactions = try await app.purchases.transactions()
        let placed = Set(intermediary.exchanges.compactMap(\.acceptedOrder))
        for intent in intents where intent.isRefused && placed.contains(intent.key) {
            violations.append("an order was reported as refused, but it was charged")
        }
        for intent in intents where !intent.isRefused && !placed.contains(intent.key) {
            violations.append("an order is lost")
        }
        if transactions.count != placed.count {
            violations.append("\(placed.count) orders have \(transactions.count) transactions")
        }
        for transaction in transactions {
            let isOpen = app.purchases.unfinishedTransactions.contains { $0.id == transaction.id }
            if isOpen != (transaction.finishedAt == nil) {
                violations.append("a delivery doesn't match the server")
            }
            if finished.contains(transaction.id), isOpen {
                violations.append("a finished transaction is delivered again")
            }
            if !finished.contains(transaction.id), !isOpen {
                violations.append("a transaction isn't delivered")
            }
        }
        return violations
    }
}

extension Intermediary.Exchange {
    /// The idempotency key of an order that the server has accepted.
    fileprivate var acceptedOrder: String? {
        guard route == "POST /a/commerce/orders", let status = original?.status, status < 300 else {
            return nil
        }
        return request.headers["Idempotency-Key"]
    }
}

/// Interferes with about a third of all exchanges.
private final class SeededInterferences: Sendable {
    private let dice: Locked<SeededDice>

    init(seed: UInt64) {
        dice = Locked(SeededDice(seed: seed))
    }

    func next() -> Interference? {
        dice.withLock { dice in
            guard Int.random(in: 0..<3, using: &dice) == 0 else { return nil }
            return Interference.all[Int.random(in: 0..<Interference.all.count, using: &dice)]
        }
    }
}
