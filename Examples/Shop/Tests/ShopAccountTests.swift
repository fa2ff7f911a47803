import Latchkey
import LatchkeyTestKit
import Testing

@testable import Shop

/// Tests the account page against the real server while injecting network, storage and clock faults.
@MainActor @Suite struct `The account page` {
    private static let phone = "+439999999999"
    private static let passcode = "246810"
    private static let api = "https://api.shop.example"

    private let server: TestServer
    private let device: TestDevice

    init() async throws {
        server = try await TestServer()
        device = TestDevice(server)
        device.network.serve(Self.api) { request in
            request.headers["Authorization"] == nil
                ? HTTP.Response(401) : HTTP.Response(200, body: Array("Tea\nCake".utf8))
        }
    }

    /// Returns the page as it appears after the app has started.
    private func page() throws -> ShopAccount {
        ShopAccount(try device.client(app: "example.shop", apiOrigins: [Self.api], credential: .accessToken))
    }

    /// Returns the page for a logged-in user.
    private func loggedIn() async throws -> ShopAccount {
        try await server.addCustomer(phone: Self.phone, passcode: Self.passcode)
        let account = try page()
        await account.logIn(phone: Self.phone, passcode: Self.passcode)
        try #require(account.screen == .home(name: "you"))
        return account
    }

    @Test func `Users can sign up with a code`() async throws {
        let account = try page()
        await account.appear()
        #expect(account.screen == .welcome)

        await account.beginSignUp(phone: Self.phone)
        #expect(account.screen == .code)
        await account.enter(code: try await server.code(for: Self.phone))
        #expect(account.screen == .profile)
        await account.finishSignUp(passcode: Self.passcode, first: "Ada", last: "Lovelace")

        #expect(account.screen == .home(name: "Ada"))
        #expect(account.notice == nil)
        await server.stop()
    }

    @Test func `Entering the code too late requires the user to start again`() async throws {
        let account = try page()
        await account.beginSignUp(phone: Self.phone)
        let code = try await server.code(for: Self.phone)
        server.time.advance(by: .seconds(3600))

        await account.enter(code: code)

        #expect(account.notice == "That took too long. Please start again.")
        await server.stop()
    }

    @Test func `The user stays logged in when the app and the server are restarted`() async throws {
        _ = try await loggedIn()
        try await server.restart()

        let account = try page()
        await account.appear()

        #expect(account.screen == .home(name: "you"))
        await account.showOrders()
        #expect(account.orders == ["Tea", "Cake"])
        await server.stop()
    }

    @Test func `The user stays logged in when the response to a processed request is lost`() async throws {
        let account = try await loggedIn()
        await account.showOrders()
        server.time.advance(by: .seconds(3600))
        device.network.inject(.dropResponse, on: .post, "/oauth2/token")

        await account.showOrders()
        #expect(account.notice == "There is no connection.")
        await account.showOrders()

        #expect(account.notice == nil)
        #expect(account.screen == .home(name: "you"))
        await server.stop()
    }

    @Test(arguments: [NetworkFault.unreachable, .respond(503), .respond(429, retryAfter: 30), .dropRequest])
    func `The user stays logged in when the server fails`(trouble: NetworkFault) async throws {
        let account = try await loggedIn()
        device.network.inject(trouble, times: 100)

        await account.appear()
        await account.showOrders()
        #expect(account.screen == .home(name: "you"))
        #expect(account.notice != nil)

        device.network.removeFaults()
        server.time.advance(by: .seconds(30))
        await account.showOrders()
        #expect(account.orders == ["Tea", "Cake"])
        await server.stop()
    }

    @Test func `After too many attempts, the page shows how long to wait`() async throws {
        let account = try page()
        device.network.inject(.respond(429, retryAfter: 30))

        await account.logIn(phone: Self.phone, passcode: Self.passcode)

        #expect(account.notice == "Please wait 30 seconds.")
        await server.stop()
    }

    @Test func `The correct passcode is accepted after wrong passcodes have forced a wait`() async throws {
        try await server.addCustomer(phone: Self.phone, passcode: Self.passcode)
        let account = try page()
        for _ in 0..<5 { await account.logIn(phone: Self.phone, passcode: "111111") }
        await account.logIn(phone: Self.phone, passcode: Self.passcode)
        #expect(account.notice == "Please wait 60 seconds.")

        server.time.advance(by: .seconds(60))
        await account.logIn(phone: Self.phone, passcode: Self.passcode)

        #expect(account.screen == .home(name: "you"))
        await server.stop()
    }

    @Test func `While the device is locked, the page asks the user to unlock it`() async throws {
        _ = try await loggedIn()
        device.store.lock()

        let account = try page()
        await account.appear()
        #expect(account.screen == .locked)
        #expect(account.notice == "Please unlock this device.")

        device.store.unlock()
        await account.appear()
        #expect(account.screen == .home(name: "you"))
        await server.stop()
    }

    @Test(arguments: [Duration.seconds(-86_400), .seconds(-50), .seconds(50), .seconds(86_400)])
    func `The account page works on a device whose clock is wrong`(skew: Duration) async throws {
        device.clock.skew = skew
        let account = try await loggedIn()

        for _ in 0..<3 {
            await account.showOrders()
            #expect(account.orders == ["Tea", "Cake"])
            #expect(account.notice == nil)
            server.time.advance(by: .seconds(1800))
        }
        #expect(account.screen == .home(name: "you"))
        await server.stop()
    }

    @Test func `One tap logs the user out permanently, even without a network`() async throws {
        let account = try await loggedIn()
        await account.showOrders()
        device.network.inject(.unreachable, times: 100)

        account.logOut()
        #expect(account.screen == .welcome)
        #expect(account.orders.isEmpty)

        let restarted = try page()
        await restarted.appear()
        #expect(restarted.screen == .welcome)
        await server.stop()
    }
}
