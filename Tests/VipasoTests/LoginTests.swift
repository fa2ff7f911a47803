import Foundation
import Latchkey
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing
import VipasoSDK

@MainActor
@Suite(.onEachDatabase) struct `A Vipaso login` {
    private static let exchange = [
        "GET /a/self-service/login/api",
        "POST /a/self-service/login",
        "PUT /identity/pki/client/certificates",
    ]

    @Test func `of a business user is the exchange of the document and tells the delegate`() async throws {
        let phone = try Phone(await TestServer.withUsers())

        let response = try await phone.logInBusiness().get()

        #expect(phone.log == Self.exchange)
        #expect(phone.transport.exchanges.map { $0.response?.status } == [200, 200, 200])
        #expect(phone.transport.exchanges[1].request.query == "flow=\(response.flowID)")
        #expect(phone.delegate.changes == [true])
        #expect(phone.vipaso.isAuthenticated)
    }

    @Test func `of a customer takes the number as people write it`() async throws {
        let phone = try Phone(await TestServer.withUsers())

        #expect(await phone.logInCustomer().error == nil)

        #expect(phone.log == Self.exchange)
        #expect(phone.delegate.changes == [true])
    }

    @Test func `of a business user takes the e-mail address as people type it`() async throws {
        let phone = try Phone(await TestServer.withUsers())

        let result = await answer { answer in
            phone.vipaso.user.business.login(
                request: LoginRequest(identifier: " \(Phone.email)\u{00A0}\n", password: Phone.password),
                completion: answer
            )
        }

        #expect(result.error == nil)
        let body = try JSONCoding.decode(JSONValue.self, from: phone.transport.exchanges[1].request.body)
        #expect(body["identifier"]?.text == Phone.email)
    }

    @Test func `tells the delegate before it answers`() async throws {
        let phone = try Phone(await TestServer.withUsers())

        let told = await answer { (answer: @escaping @MainActor ([Bool]) -> Void) in
            phone.vipaso.user.customer.login(
                request: LoginRequest(identifier: Phone.number, password: Phone.passcode)
            ) { _ in answer(phone.delegate.changes) }
        }

        #expect(told == [true])
    }

    @Test func `at the wrong door fails, leaves nothing and sends nothing more`() async throws {
        let phone = try Phone(await TestServer.withUsers())

        let customer = await answer { answer in
            phone.vipaso.user.customer.login(
                request: LoginRequest(identifier: Phone.email, password: Phone.password),
                completion: answer
            )
        }
        let business = await answer { answer in
            phone.vipaso.user.business.login(
                request: LoginRequest(identifier: Phone.number, password: Phone.passcode),
                completion: answer
            )
        }

        for error in [customer.error, business.error] {
            guard case .login(.wrongUserKind) = error else {
                Issue.record("The error is another: \(String(describing: error))")
                continue
            }
            #expect(error?.localizedDescription.contains("cannot be used to log in here") == true)
        }
        #expect(phone.log == Array(Self.exchange.prefix(2) + Self.exchange.prefix(2)))
        #expect(phone.isClean)
        #expect(phone.delegate.changes == [])
    }

    @Test func `with a wrong password says so and keeps no secret in its text`() async throws {
        let phone = try Phone(await TestServer.withUsers())

        let result = await answer { answer in
            phone.vipaso.user.business.login(
                request: LoginRequest(identifier: Phone.email, password: "zirkonium-77"),
                completion: answer
            )
        }

        guard case .login(.wrongCredentials) = result.error else {
            Issue.record("The error is another: \(result)")
            return
        }
        let text = "\(result) \(result.error?.localizedDescription ?? "")"
        #expect(text.contains("zirkonium") == false)
        #expect(phone.isClean)
    }

    @Test func `answers also when its client has gone`() async throws {
        let server = try await TestServer.withUsers()
        let store = MemoryStore()
        var vipaso: VipasoClient? = try VipasoClient(
            configuration: Phone.configuration(server, store, server.transport())
        )
        weak let client = vipaso

        let result = await answer { answer in
            vipaso?.user.business.login(
                request: LoginRequest(identifier: Phone.email, password: Phone.password),
                completion: answer
            )
            vipaso = nil
        }

        #expect(client == nil)
        #expect(result.error == nil)
    }

    @Test func `as another user takes the place of the first, and the delegate is told`() async throws {
        let phone = try Phone(await TestServer.withUsers())

        await phone.logInCustomer()
        await phone.logInBusiness()

        #expect(phone.delegate.changes == [true, true])
    }

    @Test(arguments: [NetworkFault.unreachable, .dropRequest, .dropAnswer])
    func `goes on when the network is lost around the certificate`(_ fault: NetworkFault) async throws {
        let phone = try Phone(await TestServer.withUsers())
        phone.transport.inject(fault, on: .put, times: 2)

        let login = Task { await phone.logInBusiness() }
        for _ in 1...2 {
            await phone.server.time.sleepers(atLeast: 1)
            phone.server.time.advance(by: .seconds(10))
        }

        #expect(await login.value.error == nil)
        #expect(phone.delegate.changes == [true])
        #expect(phone.log.filter { $0.hasPrefix("PUT") }.count == 3)
    }

    @Test(arguments: [NetworkFault.unreachable, .dropRequest, .dropAnswer])
    func `that gets no certificate announces nothing and leaves nothing; another finishes it`(
        _ fault: NetworkFault
    ) async throws {
        let phone = try Phone(await TestServer.withUsers())
        phone.transport.inject(fault, on: .put, times: 4)

        let login = Task { await phone.logInBusiness() }
        for _ in 1...3 {
            await phone.server.time.sleepers(atLeast: 1)
            phone.server.time.advance(by: .seconds(10))
        }
        let error = await login.value.error

        guard case .network = error else {
            Issue.record("The error is another: \(String(describing: error))")
            return
        }
        #expect(phone.isClean)
        #expect(phone.delegate.changes == [])
        #expect(!phone.vipaso.isAuthenticated)

        #expect(await phone.logInBusiness().error == nil)
        #expect(phone.delegate.changes == [true])
    }
}
