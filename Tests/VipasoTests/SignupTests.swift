import Latchkey
import LatchkeyTestKit
import LatchkeyWire
import Testing
import VipasoSDK

@MainActor
@Suite(.timeLimit(.minutes(10))) struct `A Vipaso sign-up` {
    private static let registration = "/a/self-service/registration"

    @Test func `reports too many attempts to finish as such, and not as a code that was not delivered`()
        async throws
    {
        let phone = try Phone(await TestServer())
        let flow = try await phone.verifyPhone()
        phone.transport.inject(.answer(429, retryAfter: 30), on: .post, Self.registration)

        let error = await phone.finishSignup(flow).error

        #expect(error == .signup(.tooManyAttempts(retryAfter: .seconds(30))))
    }

    @Test func `reports too many codes as a code that was not delivered`() async throws {
        let phone = try Phone(await TestServer())
        phone.transport.inject(
            .answer(429, retryAfter: 30),
            on: .post,
            "/identity/verification/flow/phone"
        )

        let result = await answer { answer in
            phone.vipaso.user.customer.startSignupFlow(
                request: StartSignupRequest(phoneNumber: Phone.number),
                completion: answer
            )
        }

        #expect(result.error == .signup(.otp(.tooManyRequests(retryAfter: .seconds(30)))))
    }

    @Test func `reports a phone number that is none beside its input when it is finished`() async throws {
        let phone = try Phone(await TestServer())

        let result = await answer { answer in
            phone.vipaso.user.customer.finishSignupFlow(
                request: FinishSignupRequest(
                    flowID: "flow",
                    password: Phone.passcode,
                    email: nil,
                    firstName: "User",
                    lastName: "Test",
                    phoneNumber: "0664 1234567"
                ),
                completion: answer
            )
        }

        guard case .signup(.rejected(let fields)) = result.error else {
            Issue.record("The error is another: \(result)")
            return
        }
        #expect(fields.map(\.name) == ["traits.phone"])
    }

    @Test func `that a logout interrupts after the account was created says that the account exists`()
        async throws
    {
        let phone = try Phone(await TestServer())
        let flow = try await phone.verifyPhone()
        phone.transport.inject(.delay(.seconds(5)), on: .put)
        let signup = Task { await phone.finishSignup(flow).error }
        while !phone.log.contains("POST \(Self.registration)"), !Task.isCancelled { await Task.yield() }

        phone.vipaso.user.customer.logout()

        let error = await signup.value
        guard case .signup(.accountCreated(let reason)) = error else {
            Issue.record("The error is another: \(String(describing: error))")
            return
        }
        #expect(reason.contains("logged out"))
        #expect(phone.isClean)
        #expect(phone.delegate.changes == [])
        // The logout may have come before the delayed request.
        phone.transport.removeFaults()
        #expect(await phone.logInCustomer().error == nil)
    }

    @Test(arguments: [nil, "", " \n", " user@example.org "])
    func `sends the e-mail address without spaces around it, and no empty one`(_ email: String?)
        async throws
    {
        let phone = try Phone(await TestServer())
        let flow = try await phone.verifyPhone()

        #expect(await phone.finishSignup(flow, email: email).error == nil)

        let request = try #require(phone.transport.exchanges.last { $0.request.path == Self.registration })
        let traits = try JSONCoding.decode(JSONValue.self, from: request.request.body)["traits"]
        #expect(traits?["email"]?.text == (email?.contains("@") == true ? "user@example.org" : nil))
    }
}
