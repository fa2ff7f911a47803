import Foundation
import Latchkey
import LatchkeyTestKit
import OnsideKit
import TestStore
import Testing

/// Uses OnsideKit while an intermediary interferes with one of its exchanges.
@MainActor @Suite(.exclusiveOnside, .timeLimit(.minutes(30))) struct `OnsideKit behind an intermediary` {
    /// All interferences with `scripts/check --deep`, or every tenth.
    private static let interferences = Interference.all.enumerated()
        .filter { ProcessInfo.processInfo.environment["DEEP_TESTS"] != nil || $0.offset % 10 == 3 }
        .map(\.element)

    private var queue: OnsidePaymentQueue { Onside.defaultPaymentQueue() }

    private func buy() async -> OnsidePaymentQueueError? {
        await answer {
            queue.add(OnsidePayment(productIdentifier: TestProduct.coins), completion: $0)
        }.error
    }

    /// Returns an app whose user has a card and no unfinished transactions.
    private func shopper(_ number: Int, on server: TestServer) async throws -> (OnsideApp, Intermediary) {
        server.time.advance(by: .seconds(86_400))
        let network = server.transport()
        let intermediary = Intermediary(server, on: network)
        let app = try OnsideApp(
            server,
            user: OnsideUser(server, phone: "+43664\(2_000_000 + number)"),
            network: network
        )
        await app.logIn()
        #expect(await buy() == nil)
        for transaction in queue.transactions { queue.finishTransaction(transaction) }
        await eventually { intermediary.exchanges.contains { $0.route.hasSuffix("/finish") } }
        intermediary.forget()
        return (app, intermediary)
    }

    @Test func `A payment that was charged isn't reported as rejected`() async throws {
        let server = try await TestServer.withStore()
        for (number, interference) in Self.interferences.enumerated() {
            let (app, intermediary) = try await shopper(number, on: server)
            intermediary.interfere { $0.path == "/a/commerce/orders" ? interference : nil }

            let error = await buy()

            intermediary.interfere(nil)
            let orders = intermediary.exchanges.filter { $0.route == "POST /a/commerce/orders" }
            let isCharged = orders.contains { $0.original.map { $0.status < 300 } ?? false }
            if interference.isHarmless {
                #expect(error == nil)
            } else {
                #expect(error == .outcomeUnknown, "\(interference.testDescription)")
            }
            // The order is sent again with the same key.
            app.server.time.advance(by: .seconds(600))
            await eventually { queue.transactions.contains { $0.transactionIdentifier != nil } }
            let keys = Set(intermediary.exchanges.compactMap { $0.request.headers["Idempotency-Key"] })
            #expect(keys.count == 1, "\(interference.testDescription), charged: \(isCharged)")
            for transaction in queue.transactions { queue.finishTransaction(transaction) }
        }
        await server.stop()
    }

    @Test func `A transaction that was finished isn't delivered again`() async throws {
        let server = try await TestServer.withStore()
        for (number, interference) in Self.interferences.enumerated() {
            let (app, intermediary) = try await shopper(number, on: server)
            #expect(await buy() == nil)
            intermediary.interfere { $0.path.hasSuffix("/finish") ? interference : nil }
            intermediary.forget()

            for transaction in queue.transactions { queue.finishTransaction(transaction) }

            await eventually { !intermediary.exchanges.isEmpty }
            intermediary.interfere(nil)
            let restarted = try app.restarted()
            let recorder = Recorder()
            await eventually {
                intermediary.exchanges.contains { $0.route.hasSuffix("/finish") && $0.isIntact }
                    || interference.isHarmless
            }
            #expect(recorder.updates.isEmpty, "\(interference.testDescription)")
            #expect(queue.transactions.isEmpty, "\(interference.testDescription)")
            _ = restarted
        }
        await server.stop()
    }
}
