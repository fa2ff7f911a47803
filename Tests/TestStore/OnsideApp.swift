package import Latchkey
import LatchkeyModel
package import LatchkeyPurchases
package import LatchkeyTestKit
package import OnsideKit

/// An app that uses OnsideKit on a simulated device.
///
/// The user logs in with a code that is sent to a phone number.
@MainActor package final class OnsideApp {
    package let server: TestServer
    package let network: TestTransport
    package let store: MemoryStore
    package let logger = LogRecorder()
    package let presenter: OnsideUser
    /// The store app to which logins are handed over, or `nil` if the user logs in with a phone number and a code.
    package let storeApp: StoreAppOnDevice?
    /// The configuration to use when OnsideKit is initialized again.
    package var configuration: OnsideConfiguration

    /// Initializes OnsideKit.
    ///
    /// - Parameters:
    ///   - server: The server, which must have a catalog.
    ///   - user: The simulated user, who responds when the app presents a login or the payment methods.
    ///   - network: The network to use. By default, a new one is created.
    ///   - store: The session store to use. By default, a new one is created.
    ///   - languages: The user's languages.
    /// - Throws: `OnsideConfigurationError` if OnsideKit cannot be initialized.
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
        configuration.client.store = store
        configuration.client.transport = self.network
        configuration.client.languages = languages
        configuration.client.time = server.time
        configuration.client.logger = logger
        // If the client polled for events, its requests could trigger faults that are meant for others, and
        // its delays would interfere with the tests' virtual clock.
        configuration.client.followsSessionEvents = false
        storeApp =
            OnsideRoute.current == .appToApp ? try StoreAppOnDevice(server, phone: presenter.phone) : nil
        if let storeApp {
            storeApp.decision = presenter.dismisses ? .refuse : .approve
            configuration.schemeHandlers = storeApp
            Onside.callbackScheme = "com.example.arcade"
        }
        try Onside.initialize(configuration: configuration)
    }

    /// Starts a server with a catalog, and then the app.
    package static func started(
        user: ((TestServer) -> OnsideUser)? = nil,
        languages: [String] = []
    ) async throws -> OnsideApp {
        let server = try await TestServer.withStore()
        return try OnsideApp(server, user: user?(server), languages: languages)
    }

    /// Starts the app again on the same device with the same user.
    package func restarted() throws -> OnsideApp {
        try OnsideApp(server, user: presenter, network: network, store: store)
    }

    /// Logs the user in.
    package func logIn() async {
        // The server limits how often it sends a code to the same number.
        server.time.advance(by: .seconds(61))
        let result = await answer { Onside.requestLogin(completion: $0) }
        guard case .success = result else { preconditionFailure("The login failed.") }
    }

    /// The logged reasons for discarded logins.
    package var discardedLogins: [String] {
        logger.events.filter { $0.name == "onside.login" }.map(\.message)
    }

    /// The number of orders that were sent.
    package var orders: Int {
        network.exchanges.count { $0.request.path == "/a/commerce/orders" }
    }
}

/// A presenter that simulates a user who logs in with a phone number and a code and pays with a sandbox card.
@MainActor package final class OnsideUser: OnsidePresenter {
    package let shopper: Shopper
    let phone: String
    let dismisses: Bool
    /// How often the payment methods were presented.
    package private(set) var managerPresentations = 0
    /// The number of the card that the user adds to the payment methods, or `nil` if the user adds none.
    package var card: String? = TestCard.success
    /// The user's decision about deferred payments.
    package var approval: Bool?
    /// A closure that is called while the payment methods are presented.
    package var whileManaging: @MainActor () async -> Void = {}

    package init(
        _ server: TestServer,
        phone: String = StoreApp.phone,
        dismisses: Bool = false,
        before: @escaping @MainActor (LoginPresentation) async -> Void = { _ in }
    ) {
        (self.phone, self.dismisses) = (phone, dismisses)
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

/// Waits until a call has completed.
///
/// If the completion handler is called twice, the test run is terminated.
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

/// Waits until a condition is met, but for no longer than two minutes.
///
/// On a busy machine, the main actor can be occupied by other tests for many seconds.
@MainActor package func eventually(_ condition: () -> Bool) async {
    let start = ContinuousClock.now
    while !condition(), ContinuousClock.now - start < .seconds(120) { await Task.yield() }
}

extension Result where Success == Void {
    /// The error, or `nil` if the result is a success.
    package var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
