import Foundation
import Latchkey
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import TestSpellings
import Testing
import VipasoSDK

@MainActor
@Suite(.onEachDatabase) struct `Vipaso login` {
    private static let exchange = [
        "GET /a/self-service/login/api",
        "POST /a/self-service/login",
        "PUT /identity/pki/client/certificates",
    ]

    @Test func `A business login sends the documented requests and notifies the delegate`() async throws {
        let app = try VipasoApp(await TestServer.withUsers())

        let response = try await app.logInBusiness().get()

        #expect(app.requestLines == Self.exchange)
        #expect(app.transport.exchanges.map { $0.response?.status } == [200, 200, 200])
        #expect(app.transport.exchanges[1].request.query == "flow=\(response.flowID)")
        #expect(app.delegate.changes == [true])
        #expect(app.vipaso.isAuthenticated)
    }

    @Test func `A customer login accepts a formatted phone number`() async throws {
        let app = try VipasoApp(await TestServer.withUsers())

        #expect(await app.logInCustomer().error == nil)

        #expect(app.requestLines == Self.exchange)
        #expect(app.delegate.changes == [true])
    }

    @Test func `A phone number is sent in one form, or rejected before a request is sent`() async throws {
        let app = try VipasoApp(await TestServer.withUsers())
        for spelling in TypedSpellings.phones {
            let before = app.transport.exchanges.count
            let result = await answer { answer in
                app.vipaso.user.customer.login(
                    request: LoginRequest(identifier: spelling.typed, password: TestAccount.passcode),
                    completion: answer
                )
            }
            let bodies = app.transport.exchanges.dropFirst(before).compactMap {
                try? JSONCoding.decode(JSONValue.self, from: $0.request.body)["identifier"]?.text
            }
            #expect(bodies == [spelling.value].compactMap { $0 }, "\(spelling)")
            if spelling.value == TestAccount.phone {
                #expect(result.error == nil, "\(spelling)")
            } else if spelling.value != nil {
                #expect(result.error == .login(.wrongCredentials), "\(spelling)")
            } else if case .login(.rejected(let fields)) = result.error {
                #expect(fields.map(\.name) == ["identifier"], "\(spelling)")
                #expect(fields.first?.message.contains("start with + and the country code") == true)
            } else {
                Issue.record("Unexpected result for \(spelling): \(result)")
            }
        }
    }

    @Test func `A business login accepts an e-mail address with spaces around it`() async throws {
        let app = try VipasoApp(await TestServer.withUsers())

        let result = await answer { answer in
            app.vipaso.user.business.login(
                request: LoginRequest(
                    identifier: " \(TestAccount.email)\u{00A0}\n",
                    password: TestAccount.password
                ),
                completion: answer
            )
        }

        #expect(result.error == nil)
        let body = try JSONCoding.decode(JSONValue.self, from: app.transport.exchanges[1].request.body)
        #expect(body["identifier"]?.text == TestAccount.email)
    }

    @Test func `The delegate is notified before the completion is called`() async throws {
        let app = try VipasoApp(await TestServer.withUsers())

        let told = await answer { (answer: @escaping @MainActor ([Bool]) -> Void) in
            app.vipaso.user.customer.login(
                request: LoginRequest(identifier: TestAccount.phone, password: TestAccount.passcode)
            ) { _ in answer(app.delegate.changes) }
        }

        #expect(told == [true])
    }

    @Test func `Logging in as the wrong kind of user fails and does not store a session`()
        async throws
    {
        let app = try VipasoApp(await TestServer.withUsers())

        let customer = await answer { answer in
            app.vipaso.user.customer.login(
                request: LoginRequest(identifier: TestAccount.email, password: TestAccount.password),
                completion: answer
            )
        }
        let business = await answer { answer in
            app.vipaso.user.business.login(
                request: LoginRequest(identifier: TestAccount.phone, password: TestAccount.passcode),
                completion: answer
            )
        }

        for error in [customer.error, business.error] {
            guard case .login(.wrongUserKind) = error else {
                Issue.record("Unexpected error: \(String(describing: error))")
                continue
            }
            #expect(error?.localizedDescription.contains("cannot be used to log in here") == true)
        }
        #expect(app.requestLines == Array(Self.exchange.prefix(2) + Self.exchange.prefix(2)))
        #expect(app.isClean)
        #expect(app.delegate.changes == [])
    }

    @Test func `The error for a wrong password contains no secrets`() async throws {
        let app = try VipasoApp(await TestServer.withUsers())

        let result = await answer { answer in
            app.vipaso.user.business.login(
                request: LoginRequest(identifier: TestAccount.email, password: "zirkonium-77"),
                completion: answer
            )
        }

        guard case .login(.wrongCredentials) = result.error else {
            Issue.record("Unexpected error: \(result)")
            return
        }
        let text = "\(result) \(result.error?.localizedDescription ?? "")"
        #expect(text.contains("zirkonium") == false)
        #expect(app.isClean)
    }

    @Test func `The completion is called even if the client has been deallocated`() async throws {
        let server = try await TestServer.withUsers()
        let store = MemoryStore()
        var vipaso: VipasoClient? = try VipasoClient(
            configuration: VipasoApp.configuration(server, store, server.transport())
        )
        weak let client = vipaso

        let result = await answer { answer in
            vipaso?.user.business.login(
                request: LoginRequest(identifier: TestAccount.email, password: TestAccount.password),
                completion: answer
            )
            vipaso = nil
        }

        #expect(client == nil)
        #expect(result.error == nil)
    }

    @Test func `A login as another user replaces the session and notifies the delegate`() async throws {
        let app = try VipasoApp(await TestServer.withUsers())

        await app.logInCustomer()
        await app.logInBusiness()

        #expect(app.delegate.changes == [true, true])
    }

    @Test(arguments: [NetworkFault.unreachable, .dropRequest, .dropResponse])
    func `A login survives network errors during enrollment`(_ fault: NetworkFault) async throws {
        let app = try VipasoApp(await TestServer.withUsers())
        app.transport.inject(fault, on: .put, times: 2)

        let login = Task { await app.logInBusiness() }
        for _ in 1...2 {
            await app.server.time.sleepers(atLeast: 1)
            app.server.time.advance(by: .seconds(10))
        }

        #expect(await login.value.error == nil)
        #expect(app.delegate.changes == [true])
        #expect(app.requestLines.filter { $0.hasPrefix("PUT") }.count == 3)
    }

    @Test(arguments: [NetworkFault.unreachable, .dropRequest, .dropResponse])
    func `Logging in again succeeds if the certificate for the first login could not be obtained`(
        _ fault: NetworkFault
    ) async throws {
        let app = try VipasoApp(await TestServer.withUsers())
        app.transport.inject(fault, on: .put, times: 4)

        let login = Task { await app.logInBusiness() }
        for _ in 1...3 {
            await app.server.time.sleepers(atLeast: 1)
            app.server.time.advance(by: .seconds(10))
        }
        let error = await login.value.error

        guard case .network = error else {
            Issue.record("Unexpected error: \(String(describing: error))")
            return
        }
        #expect(app.isClean)
        #expect(app.delegate.changes == [])
        #expect(!app.vipaso.isAuthenticated)

        #expect(await app.logInBusiness().error == nil)
        #expect(app.delegate.changes == [true])
    }
}
