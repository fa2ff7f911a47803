import Latchkey
import LatchkeyTestKit
import VipasoPay
import VipasoSDK

/// A phone with an app on it, and the network between it and the server.
@MainActor
struct Phone {
    static let email = "owner@shop.example"
    static let password = "correct-Horse-7"
    static let number = "+439999999999"
    static let passcode = "000000"

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

    /// The same phone after the app was started again.
    func restarted() throws -> Phone {
        try Phone(server, store: store)
    }

    static func configuration(
        _ server: TestServer,
        _ store: any SessionStore,
        _ transport: TestTransport
    ) -> VipasoConfiguration {
        VipasoConfiguration(
            server: TestServer.url,
            app: "com.example.shop",
            store: store,
            transport: transport,
            languages: [],
            time: server.time
        )
    }

    /// What was sent, as `METHOD /path`.
    var log: [String] {
        transport.exchanges.map { "\($0.request.method.rawValue) \($0.request.path)" }
    }

    var isClean: Bool {
        if case .absent = store.read() { true } else { false }
    }

    /// Waits until the record is gone: an app is told of an end first, and the record goes right after.
    func becomesClean() async -> Bool {
        for _ in 0..<100_000 where !isClean { await Task.yield() }
        return isClean
    }

    @discardableResult
    func logInBusiness() async -> Result<LoginResponse, VipasoError> {
        await answer { answer in
            vipaso.user.business.login(
                request: LoginRequest(identifier: Self.email, password: Self.password),
                completion: answer
            )
        }
    }

    @discardableResult
    func logInCustomer() async -> Result<LoginResponse, VipasoError> {
        await answer { answer in
            vipaso.user.customer.login(
                request: LoginRequest(identifier: "+43 (999) 999-9999", password: Self.passcode),
                completion: answer
            )
        }
    }
}

extension Phone {
    /// Goes through a sign-up until the phone is verified.
    ///
    /// - Returns: The id of the flow.
    func verifyPhone() async throws -> String {
        let customer = vipaso.user.customer
        let flow = try await answer { answer in
            customer.startSignupFlow(
                request: StartSignupRequest(phoneNumber: Self.number),
                completion: answer
            )
        }.get().flowID
        let code = try await server.code(for: Self.number)
        return try await answer { answer in
            customer.verifyPhoneNumber(
                request: VerifyPhoneNumberRequest(flowID: flow, otp: code),
                completion: answer
            )
        }.get().flowID
    }

    /// Finishes a sign-up whose phone is verified.
    func finishSignup(_ flow: String, email: String? = nil) async -> Result<FinishSignupResponse, VipasoError>
    {
        await answer { answer in
            vipaso.user.customer.finishSignupFlow(
                request: FinishSignupRequest(
                    flowID: flow,
                    password: Self.passcode,
                    email: email,
                    firstName: "User",
                    lastName: "Test",
                    phoneNumber: Self.number
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
        try await server.addBusinessUser(email: await Phone.email, password: await Phone.password)
        try await server.addCustomer(phone: await Phone.number, passcode: await Phone.passcode)
        return server
    }
}
