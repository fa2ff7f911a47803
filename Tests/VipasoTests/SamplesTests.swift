import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing
import VipasoPay
import VipasoSDK

@MainActor
@Suite struct `Documented samples` {
    @Test(arguments: Sample.allCases)
    func `Samples send exactly the documented requests over sockets`(_ sample: Sample) async throws {
        let run = try await SampleRun(sample)
        let app = run.app

        try await run.signUp(app.customer, phone: TestAccount.phone, email: nil)
        app.logOutCustomer()
        #expect(await answer { app.logInCustomer(TestAccount.phone, "000000", $0) } == "loggedIn")
        app.logOutCustomer()
        #expect(await answer { app.logInBusiness(TestAccount.email, TestAccount.password, $0) } == "loggedIn")
        app.logOutBusiness()
        try await run.signUp(app.pay, phone: "+438888888888", email: "pay@example.org")
        await mainActorIsIdle()

        #expect(
            try run.proxy.exchanges.map { try DocumentedExchange($0) }
                == DocumentedExchange.signUp(email: false) + DocumentedExchange.logIn
                + DocumentedExchange.logIn + DocumentedExchange.signUp(email: true)
        )
        #expect(app.changes() == [true, false, true, false, true, false, true])
        await run.stop()
    }

    @Test(arguments: Sample.allCases)
    func `The samples send and receive the documented values`(_ sample: Sample)
        async throws
    {
        let run = try await SampleRun(sample)

        try await run.signUp(run.app.customer, phone: TestAccount.phone, email: nil)

        let exchanges = run.proxy.exchanges
        let bodies = try exchanges.map { exchange in
            try exchange.request.body.isEmpty
                ? JSONValue.null : JSONCoding.decode(JSONValue.self, from: exchange.request.body)
        }
        #expect(bodies[1]["phoneNumber"]?.text == "+439999999999")
        #expect(bodies[1]["phoneType"]?.text == "PRIMARY" && bodies[1]["flowType"]?.text == "REGISTRATION")
        #expect(bodies[2]["phoneType"]?.text == "PRIMARY" && bodies[2]["flowType"]?.text == "REGISTRATION")
        #expect(bodies[3]["method"]?.text == "password" && bodies[3]["password"]?.text == "000000")
        #expect(exchanges[1].answer.body.isEmpty)
        let verified = try JSONCoding.decode(JSONValue.self, from: exchanges[2].answer.body)
        #expect(verified["message"]?.text == "Phone verified successfully")
        let keys = try DocumentedExchange.keys(exchanges[3].answer.body)
        #expect(keys.isSuperset(of: ["session_token", "session.id", "session.identity.id"]))
        await run.stop()
    }

    @Test func `Two runs of the samples have different flows, codes and tokens`() async throws {
        var values: [Set<String>] = []
        for _ in 1...2 {
            let run = try await SampleRun(.swift6)
            try await run.signUp(run.app.customer, phone: TestAccount.phone, email: nil)
            let bodies = try run.proxy.exchanges.map {
                try JSONCoding.decode(
                    JSONValue.self,
                    from: $0.request.body.isEmpty ? $0.answer.body : $0.request.body
                )
            }
            let answer = try JSONCoding.decode(JSONValue.self, from: run.proxy.exchanges[3].answer.body)
            values.append(
                Set([bodies[0]["id"], bodies[4]["csr"], answer["session_token"]].compactMap { $0?.text })
            )
            await run.stop()
        }

        #expect(values.allSatisfy { $0.count == 3 })
        #expect(values[0].isDisjoint(with: values[1]))
    }

    @Test(arguments: Sample.allCases)
    func `The samples distinguish code delivery errors from other errors`(_ sample: Sample) async throws {
        let run = try await SampleRun(sample)

        #expect(await answer { run.app.customer.sendCode("nobody", $0) }.contains("invalidNumber"))
        run.sockets.server.codes.fail(.refused)
        let refused = await answer { run.app.pay.sendCode("+437777777777", $0) }
        #expect(refused.hasPrefix("codeNotDelivered") && refused.contains("undeliverable"))
        #expect(await answer { run.app.customer.enterCode("000000", $0) }.hasPrefix("failed"))
        #expect(
            await answer { run.app.logInCustomer(TestAccount.phone, "999999", $0) }
                .contains("Customer login failed: ")
        )
        #expect(
            await answer { run.app.logInBusiness(TestAccount.email, "wrong-password", $0) }
                .contains("Business login failed: ")
        )
        #expect(run.app.changes() == [])
        await run.stop()
    }
}

/// A sample app that is connected to a server through a proxy, which records the traffic.
@MainActor
private struct SampleRun {
    let sockets: SocketTestServer
    let proxy: RecordingProxy
    let app: SampleApp

    init(_ sample: Sample) async throws {
        sockets = try await SocketTestServer()
        try await sockets.server.addBusinessUser(email: TestAccount.email, password: TestAccount.password)
        let port = try #require(sockets.url.split(separator: ":").last.flatMap { Int($0) })
        proxy = try RecordingProxy(to: port)
        // The server shares the processors with all other tests.
        var patience = CurlOptions()
        patience.connectTimeout = .seconds(60)
        patience.timeout = .seconds(180)
        var configuration = VipasoConfiguration(
            server: "http://127.0.0.1:\(proxy.port)",
            app: "com.example.shop"
        )
        configuration.store = MemoryStore()
        configuration.transport = try CurlTransport(options: patience)
        configuration.languages = []
        configuration.time = sockets.server.time
        var pay = configuration
        pay.store = MemoryStore()
        app = try sample.app(configuration, pay: pay)
    }

    func stop() async {
        proxy.stop()
        await sockets.stop()
    }

    /// Performs a sign-up.
    ///
    /// Each step is expected to report the same flow id.
    func signUp(_ calls: SampleCalls, phone: String, email: String?) async throws {
        let sent = await answer { calls.sendCode(phone, $0) }
        try #require(sent.hasPrefix("done(flowID: "), "\(sent)")
        let code = try await sockets.server.codes.code(for: phone).exposed
        #expect(await answer { calls.enterCode(code, $0) } == sent)
        try #require(await answer { calls.createAccount(email, phone, $0) } == sent)
    }
}
