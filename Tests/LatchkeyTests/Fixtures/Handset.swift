import Latchkey
import LatchkeyTestKit

/// A device with an app on it, and the network between it and a real server.
struct Handset: Sendable {
    static let phone = "+439999999999"
    static let passcode = "000000"
    static let name = PersonName(first: "User", last: "Test")
    static let certificates = "/identity/pki/client/certificates"

    let server: TestServer
    let transport: TestTransport
    let store: any SessionStore
    let client: LatchkeyClient

    init(_ server: TestServer, store: any SessionStore = MemoryStore()) throws {
        self.server = server
        self.store = store
        transport = server.transport()
        client = try LatchkeyClient(
            server: TestServer.url,
            app: "com.example.shop",
            store: store,
            transport: transport,
            languages: [],
            time: server.time
        )
    }

    /// A handset on which a customer of a fresh server is logged in.
    static func loggedIn(certificateLifespan: Duration = .seconds(90 * 86_400)) async throws -> Handset {
        let server = try await TestServer(certificateLifespan: certificateLifespan)
        try await server.addCustomer(phone: phone, passcode: passcode)
        let handset = try Handset(server)
        try await handset.client.signIn(phone: phone, password: passcode)
        handset.transport.forgetExchanges()
        return handset
    }

    /// The same handset after the app was started again.
    func restarted() throws -> Handset {
        try Handset(server, store: store)
    }

    /// Goes through a sign-up until the phone is verified.
    func verifiedPhone() async throws -> SignUp.PhoneVerified {
        let sent = try await client.signUp.begin(phone: Self.phone)
        return try await sent.verify(server.code(for: Self.phone))
    }

    /// Whether no login is on the device.
    var isClean: Bool {
        if case .absent = store.read() { client.sessionState.session == nil } else { false }
    }

    /// What was sent, as `METHOD /path`.
    var log: [String] {
        transport.exchanges.map { "\($0.request.method.rawValue) \($0.request.path)" }
    }

    /// Does something while the clock runs past every pause.
    func advancing<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        let clock = Task { [time = server.time] in
            while !Task.isCancelled {
                await time.sleepers(atLeast: 1)
                time.advance(by: .seconds(1))
            }
        }
        defer { clock.cancel() }
        return await work()
    }
}
