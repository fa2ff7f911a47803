import Latchkey
import LatchkeyTestKit
import OnsideKit
import TestStore
import Testing

/// An action that needs an account.
enum Action: CaseIterable, Sendable {
    case add, restore, paymentMethods

    @MainActor func run(_ completion: @escaping @MainActor (Result<Void, OnsidePaymentQueueError>) -> Void) {
        let queue = Onside.defaultPaymentQueue()
        switch self {
        case .add: queue.add(OnsidePayment(productIdentifier: TestProduct.coins), completion: completion)
        case .restore: queue.restoreCompletedTransactions(completion: completion)
        case .paymentMethods: Onside.presentPaymentMethodsManager(completion: completion)
        }
    }
}

@MainActor @Suite(.onBothRoutes, .exclusiveOnside) struct `Login on demand in OnsideKit` {
    @Test(arguments: Action.allCases)
    func `An action without a session presents a login and then continues`(_ action: Action) async throws {
        let app = try await OnsideApp.started()

        let result = await answer { action.run($0) }

        #expect(result.error == nil)
        #expect(app.presenter.shopper.presentations == 1)
        #expect(app.presenter.managerPresentations == (action == .restore ? 0 : 1))
        #expect(app.orders == (action == .add ? 2 : 0))
        await app.server.stop()
    }

    @Test(arguments: Action.allCases)
    func `An action completes with loginDiscarded if the login is dismissed`(_ action: Action) async throws {
        let app = try await OnsideApp.started { OnsideUser($0, dismisses: true) }
        let recorder = Recorder()

        let result = await answer { action.run($0) }

        #expect(result.error == .loginDiscarded)
        #expect(app.discardedLogins.count == 1)
        #expect(recorder.updates == [] && app.orders == 0)
        #expect(app.presenter.managerPresentations == 0)
        await app.server.stop()
    }

    @Test(arguments: Action.allCases, [false, true])
    func `An action that was started before a logout ends with it, and the next one presents a login`(
        _ action: Action,
        _ isLoggedIn: Bool
    ) async throws {
        let app = try await OnsideApp.started()
        if isLoggedIn { await app.logIn() }

        let result = await answer { completion in
            action.run(completion)
            // On a busy machine, the action may have presented a login already, which then ends.
            Onside.logout()
        }

        #expect(result.error == .loginDiscarded)
        await mainActorIsIdle()
        #expect(Onside.defaultPaymentQueue().storefront == nil && app.orders == 0)
        let presentations = app.presenter.shopper.presentations
        app.server.time.advance(by: .seconds(61))
        #expect(await answer { action.run($0) }.error == nil)
        #expect(app.presenter.shopper.presentations == presentations + 1)
        await app.server.stop()
    }

    @Test func `A login that was requested before a logout ends with it`() async throws {
        let app = try await OnsideApp.started()

        let result = await answer { completion in
            Onside.requestLogin(completion: completion)
            Onside.logout()
        }

        #expect(result.error == .loginDiscarded)
        #expect(Onside.defaultPaymentQueue().storefront == nil)
        await app.server.stop()
    }

    @Test(arguments: [Duration.zero, .seconds(5)])
    func `100 actions wait for one login, and each of them completes once`(_ delay: Duration) async throws {
        let app = try await OnsideApp.started()
        if delay > .zero { app.network.inject(.delay(delay), on: .get, "/a/self-service/registration/api") }

        let actions = hundredActions()
        if delay > .zero {
            await app.server.time.sleepers(atLeast: 1)
            app.server.time.advance(by: delay)
        }
        let errors = await actions.errors

        #expect(errors == Array(repeating: nil, count: 100))
        #expect(app.presenter.shopper.presentations == 1)
        await app.server.stop()
    }

    @Test func `Dismissing the login completes 100 waiting actions with loginDiscarded`() async throws {
        let started = Gate()
        let app = try await OnsideApp.started { server in
            OnsideUser(server, dismisses: true) { _ in await started.wait() }
        }

        let actions = hundredActions()
        await mainActorIsIdle()
        started.open()
        let errors = await actions.errors

        #expect(errors == Array(repeating: "loginDiscarded", count: 100))
        #expect(app.presenter.shopper.presentations == 1)
        #expect(app.discardedLogins.count == 100)
        await app.server.stop()
    }

    @Test func `Each of 100 waiting actions is completed once when the user logs out`() async throws {
        let started = Gate()
        let app = try await OnsideApp.started { server in
            OnsideUser(server) { login in
                await started.wait()
                Onside.logout()
                _ = await login.ending()
            }
        }

        let actions = hundredActions()
        await mainActorIsIdle()
        started.open()
        let errors = await actions.errors

        #expect(errors == Array(repeating: "loginDiscarded", count: 100))
        #expect(Onside.defaultPaymentQueue().storefront == nil)
        await app.server.stop()
    }

    @Test func `Each of 100 running actions is completed once when the user logs out`() async throws {
        let app = try await OnsideApp.started()
        await app.logIn()
        app.network.inject(.delay(.seconds(5)), on: .post, "/a/commerce/orders", times: 100)
        app.network.inject(.delay(.seconds(5)), on: .post, "/a/commerce/restore", times: 100)

        let actions = hundredActions()
        // All 25 restores are being sent, and eight of the orders, which is the most that are sent at once.
        await app.server.time.sleepers(atLeast: 33)
        Onside.logout()
        // Requests that were already being sent can still reach the delay after the logout.
        let clock = Task { [time = app.server.time] in
            while !Task.isCancelled {
                await time.sleepers(atLeast: 1)
                time.advance(by: .seconds(5))
                await Task.yield()
            }
        }
        let errors = await actions.errors
        clock.cancel()

        #expect(errors.count == 100)
        // No login is presented after the logout, so no order is placed for another user.
        #expect(app.presenter.shopper.presentations == 1)
        #expect(Onside.defaultPaymentQueue().transactions == [])
        await app.server.stop()
    }

    /// Starts 100 actions of different kinds before any of them has completed.
    private func hundredActions() -> Actions {
        let actions = Actions()
        for number in 0..<100 {
            switch number % 4 {
            case 0: Onside.requestLogin { actions.complete(number, error: $0.error.map { "\($0)" }) }
            case 1: actions.run(.restore, number: number)
            case 2: actions.run(.paymentMethods, number: number)
            default: actions.run(.add, number: number)
            }
        }
        return actions
    }
}

/// Records the completions of actions.
@MainActor private final class Actions {
    private var completions: [Int: [String?]] = [:]

    func run(_ action: Action, number: Int) {
        action.run { result in
            // The description of the payment queue's error is "The login ended without a session."
            let error = result.error
            self.complete(number, error: error == .loginDiscarded ? "loginDiscarded" : error.map { "\($0)" })
        }
    }

    func complete(_ number: Int, error: String?) {
        completions[number, default: []].append(error)
    }

    /// Waits until all actions have completed and returns their errors.
    ///
    /// Also checks that each action has completed exactly once.
    var errors: [String?] {
        get async {
            await eventually { completions.count >= 100 }
            await mainActorIsIdle()
            #expect(completions.values.allSatisfy { $0.count == 1 })
            return completions.values.flatMap { $0 }
        }
    }
}

/// A gate that is closed at first and stays open once it has been opened.
@MainActor final class Gate {
    private var isOpen = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    nonisolated init() {}

    func open() {
        isOpen = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    func wait() async {
        guard !isOpen else { return }
        await withCheckedContinuation { waiters.append($0) }
    }
}
