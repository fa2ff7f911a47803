package import Latchkey
import LatchkeyModel
package import LatchkeyPurchases
package import LatchkeyTestKit
package import OnsideKit

/// An app that uses OnsideKit on a simulated device, with a user who has a phone.
@MainActor package final class OnsideApp {
    package let server: TestServer
    package let network: TestTransport
    package let store: MemoryStore
    package let logger = LogRecorder()
    package let presenter: OnsideUser
    /// The configuration, for further initializations.
    package var configuration: OnsideConfiguration

    /// Initializes OnsideKit.
    ///
    /// - Parameters:
    ///   - server: The server, which must have a catalog.
    ///   - user: The user in front of the presenter.
    ///   - network: The network; by default, a new one.
    ///   - store: The store of the session; by default, a new one.
    ///   - languages: The languages of the user.
    /// - Throws: `OnsideConfigurationError`.
    package init(
        _ server: TestServer,
        user: OnsideUser? = nil,
        network: TestTransport? = nil,
        store: MemoryStore = MemoryStore(),
        languages: [String] = []
    ) throws {
        self.server = server
        self.network = network ?? server.transport()
        self.store = store
        presenter = user ?? OnsideUser(server)
        configuration = OnsideConfiguration(
            server: TestServer.url,
            clientID: "com.example.arcade",
            presenter: presenter
        )
        configuration.store = store
        configuration.transport = self.network
        configuration.languages = languages
        configuration.time = server.time
        configuration.logger = logger
        // Polls would use up the injected faults, and sleep on the virtual clock.
        configuration.followsSessionEvents = false
        try Onside.initialize(configuration: configuration)
    }

    /// Starts a server with a catalog, and the app.
    package static func started(
        user: ((TestServer) -> OnsideUser)? = nil,
        languages: [String] = []
    ) async throws -> OnsideApp {
        let server = try await TestServer.withStore()
        return try OnsideApp(server, user: user?(server), languages: languages)
    }

    /// Starts the app again, with the same device and user.
    package func restarted() throws -> OnsideApp {
        try OnsideApp(server, user: presenter, network: network, store: store)
    }

    /// Logs the user in.
    package func logIn() async {
        // The server sends codes to a number only every 30 seconds.
        server.time.advance(by: .seconds(61))
        let result = await answer { Onside.requestLogin(completion: $0) }
        guard case .success = result else { preconditionFailure("The login failed.") }
    }

    /// The reasons of discarded logins in the log.
    package var discardedLogins: [String] {
        logger.events.filter { $0.name == "onside.login" }.map(\.message)
    }

    /// The number of orders that were sent.
    package var orders: Int {
        network.exchanges.count { $0.request.path == "/a/commerce/orders" }
    }
}

/// A presenter whose user logs in with a phone number and a code, and uses a sandbox card.
@MainActor package final class OnsideUser: OnsidePresenter {
    package let shopper: Shopper
    /// The number of times that the payment methods were presented.
    package private(set) var managerPresentations = 0
    /// The number of the card that the user adds in the payment methods; `nil` adds none.
    package var card: String? = TestCard.success
    /// The user's decision about deferred payments.
    package var approval: Bool?
    /// Called while the payment methods are presented.
    package var whileManaging: @MainActor () async -> Void = {}

    package init(
        _ server: TestServer,
        phone: String = StoreApp.phone,
        dismisses: Bool = false,
        before: @escaping @MainActor (LoginPresentation) async -> Void = { _ in }
    ) {
        shopper = Shopper(server, phone: phone, dismisses: dismisses, before: before)
    }

    package func present(_ login: LoginPresentation) async {
        await shopper.present(login)
    }

    package func presentPaymentMethods(_ purchases: Purchases) async {
        managerPresentations += 1
        await whileManaging()
        if let card { _ = try? await purchases.addSandboxCard(number: card) }
    }

    package func confirmPayment(_ transaction: StoreTransaction) async -> Bool? { approval }
}

/// A logger that stores the events.
package final class LogRecorder: LatchkeyLogger {
    private let recorded = Locked<[LogEvent]>([])

    package init() {}

    package var events: [LogEvent] { recorded.withLock { $0 } }

    package func log(_ event: LogEvent) {
        recorded.withLock { $0.append(event) }
    }
}

/// Waits for the completion of a call; a second completion stops the test run.
@MainActor package func answer<Value: Sendable>(
    _ call: (@escaping @MainActor (Value) -> Void) -> Void
) async -> Value {
    await withCheckedContinuation { continuation in
        call { value in
            MainActor.preconditionIsolated()
            continuation.resume(returning: value)
        }
    }
}

/// Waits until a condition holds, at most for twenty seconds.
@MainActor package func eventually(_ condition: () -> Bool) async {
    let start = ContinuousClock.now
    while !condition(), ContinuousClock.now - start < .seconds(20) { await Task.yield() }
}

extension Result where Success == Void {
    /// The error; `nil` after a success.
    package var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
