import Latchkey
import LatchkeyTestKit
import OnsideKit
import TestStore
import Testing

@MainActor @Suite(.onBothRoutes, .exclusiveOnside) struct `The payment queue` {
    private var queue: OnsidePaymentQueue { Onside.defaultPaymentQueue() }

    /// Buys a product and returns the error, if any.
    private func buy(_ product: String = TestProduct.coins) async -> OnsidePaymentQueueError? {
        await answer { queue.add(OnsidePayment(productIdentifier: product), completion: $0) }.error
    }

    @Test func `Observers are notified of a purchase before the completion handler is called`()
        async throws
    {
        let app = try await OnsideApp.started()
        await app.logIn()
        let recorder = Recorder()

        var updatesAtCompletion: [[String]] = []
        _ = await answer { (done: @escaping @MainActor (Bool) -> Void) in
            queue.add(OnsidePayment(productIdentifier: TestProduct.coins)) { _ in
                updatesAtCompletion = recorder.updates
                done(true)
            }
        }

        #expect(updatesAtCompletion == [["coins.100 purchasing"], ["coins.100 purchased"]])
        let (first, last) = (
            try #require(recorder.transactions.first), try #require(recorder.transactions.last)
        )
        #expect(first.transactionIdentifier == nil && last.transactionIdentifier != nil)
        #expect(last.error == nil && last.transactionDate != nil && last.payment.quantity == 1)
        #expect(queue.transactions == [last])
        queue.finishTransaction(last)
        #expect(queue.transactions == [])
        await app.server.stop()
    }

    @Test func `A payment fails if the price of the product has changed`() async throws {
        let app = try await OnsideApp.started(languages: ["en-US"])
        let guess = try await answer { OnsideProductsRequest().start(completion: $0) }.get()
        let product = try #require(guess.products.first)
        let recorder = Recorder()

        let result = await answer { queue.add(OnsidePayment(product: product), completion: $0) }

        #expect(result.error == .priceChanged)
        #expect(recorder.updates == [["coins.100 purchasing"], ["coins.100 failed"]])
        #expect(recorder.transactions.last?.error == .orderRefused(.priceChanged))
        let failed = try #require(queue.transactions.first)
        queue.finishTransaction(failed)
        #expect(queue.transactions == [])
        await app.server.stop()
    }

    @Test func `A declined payment completes successfully with a failed transaction`() async throws {
        let app = try await OnsideApp.started { server in
            let user = OnsideUser(server)
            user.card = TestCard.decline
            return user
        }
        let recorder = Recorder(finishes: true)

        #expect(await buy() == nil)

        #expect(recorder.updates == [["coins.100 purchasing"], ["coins.100 failed"]])
        #expect(recorder.transactions.last?.error == .declined)
        #expect(queue.transactions == [])
        await app.server.stop()
    }

    @Test(arguments: [(true, "purchased"), (false, "failed")])
    func `The user can confirm a deferred payment`(_ approval: Bool, _ state: String) async throws {
        let app = try await OnsideApp.started { server in
            let user = OnsideUser(server)
            (user.card, user.approval) = (TestCard.confirmation, approval)
            return user
        }
        let recorder = Recorder()

        #expect(await buy() == nil)

        #expect(
            recorder.updates == [["coins.100 purchasing"], ["coins.100 deferred"], ["coins.100 \(state)"]]
        )
        await app.server.stop()
    }

    @Test func `A deferred transaction cannot be finished and stays in the queue`() async throws {
        let app = try await OnsideApp.started { server in
            let user = OnsideUser(server)
            user.card = TestCard.confirmation
            return user
        }

        #expect(await buy() == nil)
        let deferred = try #require(queue.transactions.first)
        queue.finishTransaction(deferred)

        #expect(queue.transactions == [deferred])
        await app.server.stop()
    }

    @Test func `A payment ends if the user adds no payment method`() async throws {
        let app = try await OnsideApp.started { server in
            let user = OnsideUser(server)
            user.card = nil
            return user
        }

        #expect(await buy() == .paymentMethodRequired)
        #expect(app.presenter.managerPresentations == 1)
        await app.server.stop()
    }

    @Test func `An order with a lost response is charged once and then delivered`() async throws {
        let app = try await OnsideApp.started()
        await app.logIn()
        #expect(await buy() == nil)
        let recorder = Recorder(finishes: true)
        app.network.inject(.dropResponse, on: .post, "/a/commerce/orders", times: 2)

        #expect(await buy() == .outcomeUnknown)
        await app.server.time.sleepers(atLeast: 1)
        app.server.time.advance(by: .seconds(10))

        // The first purchase is delivered to the new observer.
        let updates = await recorder.updates(3)
        #expect(updates == [["coins.100 purchased"], ["coins.100 purchasing"], ["coins.100 purchased"]])
        let client = try #require(Onside.client)
        #expect(try await Purchases(client).transactions().count == 2)
        await app.server.stop()
    }

    @Test func `Restored purchases are delivered before the completion handler is called`() async throws {
        let app = try await OnsideApp.started()
        #expect(await buy(TestProduct.game) == nil)
        for transaction in queue.transactions { queue.finishTransaction(transaction) }
        let recorder = Recorder()

        let result = await answer { queue.restoreCompletedTransactions(completion: $0) }

        #expect(result.error == nil)
        #expect(recorder.updates == [["game.meteor restored"]])
        #expect(queue.transactions.map(\.transactionState) == [.restored])
        for transaction in queue.transactions { queue.finishTransaction(transaction) }
        #expect(queue.transactions == [])
        await app.server.stop()
    }

    @Test func `Each observer receives unfinished transactions once and in order at the next start`()
        async throws
    {
        let app = try await OnsideApp.started()
        #expect(await buy(TestProduct.coins) == nil)
        app.server.time.advance(by: .seconds(1))
        #expect(await buy(TestProduct.game) == nil)
        Onside.reset()
        let early = Recorder()
        await mainActorIsIdle()
        #expect(early.updates == [])

        _ = try app.restarted()
        let expected = [["coins.100 purchased", "game.meteor purchased"]]
        #expect(await early.updates(1) == expected)
        let late = Recorder(finishes: true)

        #expect(await late.updates(1) == expected)
        await mainActorIsIdle()
        #expect(early.updates == expected && late.updates == expected)
        #expect(queue.transactions == [])
        await app.server.stop()
    }

    @Test func `Logging out empties the queue`() async throws {
        let app = try await OnsideApp.started()
        #expect(await buy() == nil)
        #expect(queue.transactions.count == 1)

        Onside.logout()
        await mainActorIsIdle()

        #expect(queue.transactions == [])
        await app.server.stop()
    }

    @Test func `Logging out dismisses the payment methods manager`() async throws {
        let gate = Gate()
        let app = try await OnsideApp.started { server in
            let user = OnsideUser(server)
            user.whileManaging = {
                gate.open()
                while !Task.isCancelled { await Task.yield() }
            }
            return user
        }
        await app.logIn()

        let result = Task { await answer { Onside.presentPaymentMethodsManager(completion: $0) } }
        await gate.wait()
        Onside.logout()

        #expect(await result.value.error == .loginDiscarded)
        await app.server.stop()
    }

    @Test func `Concurrent calls present the payment methods only once`() async throws {
        let app = try await OnsideApp.started()
        await app.logIn()
        let gate = Gate()
        app.presenter.whileManaging = { await gate.wait() }

        let first = Task { await answer { Onside.presentPaymentMethodsManager(completion: $0) } }
        let second = Task { await answer { Onside.presentPaymentMethodsManager(completion: $0) } }
        await mainActorIsIdle()
        gate.open()

        let errors = [await first.value.error, await second.value.error]
        #expect(errors == [nil, nil])
        #expect(app.presenter.managerPresentations == 1)
        await app.server.stop()
    }
}
