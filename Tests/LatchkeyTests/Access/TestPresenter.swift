import Latchkey
import LatchkeyCore
import LatchkeyTestKit
import LatchkeyWire

/// A presenter that records its presentations and lets a test act as the user.
@MainActor final class TestPresenter: Presenter {
    /// All presentations so far, in order.
    private(set) var logins: [LoginPresentation] = []
    /// The number of calls that have returned.
    private(set) var returns = 0
    /// The highest number of concurrent calls so far.
    private(set) var concurrentCalls = 0

    private let user: @MainActor (LoginPresentation) async -> Void

    /// Creates a presenter.
    ///
    /// - Parameter user: A closure that simulates the user. The presenter returns when the closure returns.
    ///   The default closure waits for the presentation to end.
    init(user: @escaping @MainActor (LoginPresentation) async -> Void = { await $0.end() }) {
        self.user = user
    }

    func present(_ login: LoginPresentation) async {
        logins.append(login)
        concurrentCalls = max(concurrentCalls, logins.count - returns)
        await user(login)
        returns += 1
    }

    /// Waits until the given number of presentations have started, and returns the last of them.
    func login(_ number: Int = 1) async -> LoginPresentation {
        while logins.count < number { await Task.yield() }
        return logins[number - 1]
    }
}

extension LoginPresentation {
    /// Waits until the presentation ends.
    @discardableResult
    func end() async -> Ending? {
        for await case .ended(let ending) in screens { return ending }
        // In a cancelled task, the stream ends immediately.
        while isOpen { await Task.yield() }
        guard case .ended(let ending) = screen else { return nil }
        return ending
    }

    /// Waits until a form is shown and returns its flow.
    func form() async -> Flow? {
        for await case .form(let flow) in screens { return flow }
        return nil
    }

    /// Waits until a required step is shown.
    func duty() async -> Duty? {
        for await case .duty(let duty, _) in screens { return duty }
        return nil
    }

    /// Waits for the form and logs in the customer with the passcode.
    func logIn(password: String = TestAccount.passcode) async {
        _ = await form()
        await submit(
            FlowSubmission(
                method: "password",
                ["identifier": .string(TestAccount.phone), "password": .string(password)]
            )
        )
    }
}

extension TestApp {
    /// Sets a presenter and returns it.
    ///
    /// The caller must keep a strong reference to the presenter.
    @MainActor func presenter(
        user: @escaping @MainActor (LoginPresentation) async -> Void = { await $0.end() }
    ) -> TestPresenter {
        let presenter = TestPresenter(user: user)
        client.presenter = presenter
        return presenter
    }

    /// Waits until the given number of callers are waiting for a session.
    func callers(_ count: Int) async {
        while client.engine.access.waitingCallers != count { await Task.yield() }
    }

    /// Starts actions that require a logged-in user.
    ///
    /// Each action returns the id of the user's account.
    func actions(_ count: Int) -> [Task<Result<String, LatchkeyError>, Never>] {
        (0..<count).map { _ in
            Task {
                do {
                    return .success(try await client.withSession { $0.session.identity.id })
                } catch {
                    return .failure(
                        error as? LatchkeyError ?? LatchkeyError(.refused, message: "\(error)")
                    )
                }
            }
        }
    }

    /// Returns an app without a logged-in user, and a server with a customer's account.
    static func loggedOut() async throws -> TestApp where Store == MemoryStore {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        return try TestApp(server)
    }
}

extension [Task<Result<String, LatchkeyError>, Never>] {
    /// Counts the results by account or error code.
    var results: [String: Int] {
        get async {
            var results: [String: Int] = [:]
            for task in self {
                switch await task.value {
                case .success(let account): results[account, default: 0] += 1
                case .failure(let error): results["\(error.code)", default: 0] += 1
                }
            }
            return results
        }
    }
}
