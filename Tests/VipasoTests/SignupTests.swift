import Latchkey
import LatchkeyTestKit
import LatchkeyWire
import Testing
import VipasoSDK

@MainActor
@Suite(.timeLimit(.minutes(10))) struct `Vipaso sign-up` {
    private static let registration = "/a/self-service/registration"

    @Test func `Too many attempts to finish a sign-up are not reported as a code delivery error`()
        async throws
    {
        let app = try VipasoApp(await TestServer())
        let flow = try await app.verifyPhone()
        app.transport.inject(.respond(429, retryAfter: 30), on: .post, Self.registration)

        let error = await app.finishSignup(flow).error

        #expect(error == .signup(.tooManyAttempts(retryAfter: .seconds(30))))
    }

    @Test func `Requesting too many codes fails with a code delivery error`() async throws {
        let app = try VipasoApp(await TestServer())
        app.transport.inject(
            .respond(429, retryAfter: 30),
            on: .post,
            "/identity/verification/flow/phone"
        )

        let result = await answer { answer in
            app.vipaso.user.customer.startSignupFlow(
                request: StartSignupRequest(phoneNumber: TestAccount.phone),
                completion: answer
            )
        }

        #expect(result.error == .signup(.otp(.tooManyRequests(retryAfter: .seconds(30)))))
    }

    @Test func `Finishing a sign-up with an invalid phone number reports a field error`() async throws {
        let app = try VipasoApp(await TestServer())

        let result = await answer { answer in
            app.vipaso.user.customer.finishSignupFlow(
                request: FinishSignupRequest(
                    flowID: "flow",
                    password: TestAccount.passcode,
                    email: nil,
                    firstName: "User",
                    lastName: "Test",
                    phoneNumber: "0664 1234567"
                ),
                completion: answer
            )
        }

        guard case .signup(.rejected(let fields)) = result.error else {
            Issue.record("Unexpected error: \(result)")
            return
        }
        #expect(fields.map(\.name) == ["traits.phone"])
    }

    @Test func `Logging out during the last sign-up step reports that the account was created`()
        async throws
    {
        let app = try VipasoApp(await TestServer())
        let flow = try await app.verifyPhone()
        app.transport.inject(.delay(.seconds(5)), on: .put)
        let signup = Task { await app.finishSignup(flow).error }
        while !app.requestLines.contains("POST \(Self.registration)"), !Task.isCancelled {
            await Task.yield()
        }

        app.vipaso.user.customer.logout()

        let error = await signup.value
        guard case .signup(.accountCreated(let reason)) = error else {
            Issue.record("Unexpected error: \(String(describing: error))")
            return
        }
        #expect(reason.contains("logged out"))
        #expect(app.isClean)
        #expect(app.delegate.changes == [])
        // The logout may have happened before the delayed request.
        app.transport.removeFaults()
        #expect(await app.logInCustomer().error == nil)
    }

    @Test(arguments: [nil, "", " \n", " user@example.org "])
    func `The e-mail address is trimmed, and it is left out if it is blank`(_ email: String?)
        async throws
    {
        let app = try VipasoApp(await TestServer())
        let flow = try await app.verifyPhone()

        #expect(await app.finishSignup(flow, email: email).error == nil)

        let request = try #require(app.transport.exchanges.last { $0.request.path == Self.registration })
        let traits = try JSONCoding.decode(JSONValue.self, from: request.request.body)["traits"]
        #expect(traits?["email"]?.text == (email?.contains("@") == true ? "user@example.org" : nil))
    }
}
