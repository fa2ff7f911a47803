import Latchkey
import LatchkeyTestKit
import OnsideKit
import TestStore
import Testing

/// Uses OnsideKit while an intermediary interferes with one of its exchanges.
@MainActor @Suite(.onBothRoutes, .exclusiveOnside, .timeLimit(.minutes(30)))
struct `OnsideKit behind an intermediary` {
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
        for (number, interference) in Interference.sample(of: "add", at: 0).enumerated() {
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
        for (number, interference) in Interference.sample(of: "finish", at: 0).enumerated() {
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

    nonisolated enum Call: String, CaseIterable, Sendable {
        case requestLogin, requestProducts, restoreCompletedTransactions, requestHistory
    }

    /// Performs a call, and returns whether it has succeeded and whether its error is the server's verdict.
    private func perform(_ call: Call) async -> (isSuccess: Bool, isVerdict: Bool) {
        switch call {
        case .requestLogin:
            let result = await answer { Onside.requestLogin(completion: $0) }
            // The error of a login doesn't have a reason.
            return (result.error == nil, false)
        case .requestProducts:
            let result = await answer { OnsideProductsRequest().start(completion: $0) }
            guard case .failure(let error) = result else {
                let isComplete = (try? result.get().invalidProductIdentifiers.isEmpty) == true
                return (true, !isComplete)
            }
            return (false, !error.isNetworkError)
        case .restoreCompletedTransactions:
            let error = await answer { queue.restoreCompletedTransactions(completion: $0) }.error
            return (error == nil, error.map { !$0.isNetworkError } ?? false)
        case .requestHistory:
            let result = await answer { Onside.makeSignedInAppsHistoryRequest().start(completion: $0) }
            guard case .failure(let error) = result else { return (true, false) }
            guard case .network = error else { return (false, true) }
            return (false, false)
        }
    }

    @Test(arguments: Call.allCases)
    func `A disturbed response is neither a success nor a rejection, and the session is kept`(_ call: Call)
        async throws
    {
        let server = try await TestServer.withStore()
        let (app, clean) = try await shopper(999, on: server)
        if call == .requestLogin { Onside.logout() }
        server.time.advance(by: .seconds(61))
        #expect(await clean.outcome { await perform(call) }.isSuccess)
        // OnsideKit refers to the app's presenter weakly.
        withExtendedLifetime(app) {}
        let requests = clean.exchanges.count
        #expect(requests > 0)

        var number = 1000
        for count in 0..<requests {
            for interference in Interference.sample(of: call.rawValue, at: count) {
                number += 1
                let (app, intermediary) = try await shopper(number, on: server)
                if call == .requestLogin { Onside.logout() }
                server.time.advance(by: .seconds(61))
                intermediary.interfere(interference, after: count)

                let outcome = await intermediary.outcome { await perform(call) }

                intermediary.interfere(nil)
                let place = "\(interference.testDescription) at request \(count)"
                #expect(!outcome.isVerdict, "\(place)")
                // If a request of the hand-off is disturbed, the user logs in with a phone number.
                if outcome.isSuccess, OnsideRoute.current == .inSDK || call != .requestLogin {
                    let routes = intermediary.exchanges.unconfirmedRoutes
                    for route in routes.subtracting(Intermediary.backgroundRoutes) {
                        Issue.record(
                            "\(place): the call succeeded, but the response of \(route) was replaced"
                        )
                    }
                }
                // A login that an interference has prevented succeeds when the user tries again.
                await app.logIn()
                #expect(queue.storefront != nil, "\(place)")
            }
        }
        await server.stop()
    }
}

extension OnsidePaymentQueueError {
    fileprivate var isNetworkError: Bool {
        if case .network = self { true } else { false }
    }
}
