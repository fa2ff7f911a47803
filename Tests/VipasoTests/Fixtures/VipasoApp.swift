import Latchkey
import LatchkeyTestKit
import VipasoPay
import VipasoSDK

/// An app with a Vipaso client on a simulated device.
@MainActor
struct VipasoApp {
    let server: TestServer
    let transport: TestTransport
    let store: any SessionStore
    let vipaso: VipasoClient
    let delegate = Coordinator()

    init(_ server: TestServer, store: any SessionStore = MemoryStore()) throws {
        self.server = server
        self.store = store
        transport = server.transport()
        vipaso = try VipasoClient(configuration: Self.configuration(server, store, transport))
        vipaso.delegate = delegate
    }

    /// Simulates a restart by creating a new app with the same server and store.
    func restarted() throws -> VipasoApp {
        try VipasoApp(server, store: store)
    }

    static func configuration(
        _ server: TestServer,
        _ store: any SessionStore,
        _ transport: TestTransport
    ) -> VipasoConfiguration {
        var configuration = VipasoConfiguration(
            server: TestServer.url,
            app: "com.example.shop",
            apiOrigins: ["https://api.example.com"]
        )
        configuration.store = store
        configuration.transport = transport
        configuration.languages = []
        configuration.time = server.time
        return configuration
    }

    /// The requests that were sent as `METHOD /path`.
    var requestLines: [String] {
        transport.exchanges.map { "\($0.request.method.rawValue) \($0.request.path)" }
    }

    var isClean: Bool {
        if case .absent = store.read() { true } else { false }
    }

    /// Waits until the record is removed, which happens right after the delegate is notified.
    func becomesClean() async -> Bool {
        for _ in 0..<100_000 where !isClean { await Task.yield() }
        return isClean
    }

    @discardableResult
    func logInBusiness() async -> Result<LoginResponse, VipasoError> {
        await answer { answer in
            vipaso.user.business.login(
                request: LoginRequest(identifier: TestAccount.email, password: TestAccount.password),
                completion: answer
            )
        }
    }

    @discardableResult
    func logInCustomer() async -> Result<LoginResponse, VipasoError> {
        await answer { answer in
            vipaso.user.customer.login(
                request: LoginRequest(identifier: "+43 (999) 999-9999", password: TestAccount.passcode),
                completion: answer
            )
        }
    }
}

extension VipasoApp {
    /// Starts a sign-up and verifies the phone number.
    ///
    /// - Returns: The id of the flow.
    func verifyPhone() async throws -> String {
        let customer = vipaso.user.customer
        let flow = try await answer { answer in
            customer.startSignupFlow(
                request: StartSignupRequest(phoneNumber: TestAccount.phone),
                completion: answer
            )
        }.get().flowID
        let code = try await server.code(for: TestAccount.phone)
        return try await answer { answer in
            customer.verifyPhoneNumber(
                request: VerifyPhoneNumberRequest(flowID: flow, otp: code),
                completion: answer
            )
        }.get().flowID
    }

    /// Finishes a sign-up whose phone number is verified.
    func finishSignup(_ flow: String, email: String? = nil) async -> Result<FinishSignupResponse, VipasoError>
    {
        await answer { answer in
            vipaso.user.customer.finishSignupFlow(
                request: FinishSignupRequest(
                    flowID: flow,
                    password: TestAccount.passcode,
                    email: email,
                    firstName: "User",
                    lastName: "Test",
                    phoneNumber: TestAccount.phone
                ),
                completion: answer
            )
        }
    }
}

extension TestServer {
    /// A server with a business user and a customer.
    static func withUsers() async throws -> TestServer {
        let server = try await TestServer()
        try await server.addBusinessUser(email: TestAccount.email, password: TestAccount.password)
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        return server
    }
}
