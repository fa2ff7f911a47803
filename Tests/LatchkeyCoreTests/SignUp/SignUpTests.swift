import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Signing up` {
    private static let phoneRoute = "/identity/verification/flow/phone"

    @Test func `Signing up sends the requests that the contract defines`() async throws {
        let device = try TestEngine()
        let signUp = SignUp(engine: device.engine.flows)

        let sent = try await signUp.begin(phone: "+43 (999) 999-9999")
        let verified = try await sent.verify("271 501")
        let session = try await verified.finish(
            password: "000000",
            name: PersonName(first: "User", last: "Test")
        )

        #expect(
            device.server.log == [
                "GET /a/self-service/registration/api",
                "POST \(Self.phoneRoute)",
                "PATCH \(Self.phoneRoute)",
                "POST /a/self-service/registration?flow=flow-signup",
                TestEngine.certificates,
            ]
        )
        #expect(
            device.server.requests.map(\.text).dropLast() == [
                "",
                #"{"phoneNumber":"+439999999999","phoneType":"PRIMARY","flowId":"flow-signup","#
                    + #""flowType":"REGISTRATION"}"#,
                #"{"phoneType":"PRIMARY","flowId":"flow-signup","otp":"271501","flowType":"REGISTRATION"}"#,
                #"{"method":"password","password":"000000","traits":{"#
                    + #""name":{"first":"User","last":"Test"},"phone":"+439999999999"}}"#,
            ]
        )
        #expect(sent.token.flow == "flow-signup" && verified.token.flow == "flow-signup")
        #expect(device.engine.keeper.held?.stored.session == session)
    }

    @Test func `The email address is only sent if the user has entered one`() async throws {
        let device = try TestEngine()
        let verified = SignUp(engine: device.engine.flows).resumeVerified(
            StepToken(flow: "f", kind: .registration, address: TestAccount.phone)
        )

        _ = try await verified.finish(
            password: "000000",
            name: PersonName(first: "\"Q\"", last: "Ü\n"),
            email: "a@example.org"
        )

        #expect(
            device.server.requests[0].text
                == #"{"method":"password","password":"000000","traits":{"email":"a@example.org","#
                + #""name":{"first":"\"Q\"","last":"Ü\n"},"phone":"+439999999999"}}"#
        )
    }

    @Test func `A sign-up can be continued with its flow id after a restart`() async throws {
        let signUp = SignUp(engine: try TestEngine().restarted().engine.flows)

        let verified = try await signUp.resume(StepToken(flow: "flow-signup", kind: .registration)).verify(
            "271501"
        )
        let session = try await verified.finish(
            password: "000000",
            name: PersonName(first: "User", last: "Test"),
            phone: TestAccount.phone
        )

        #expect(session.identity.phone?.e164 == TestAccount.phone)
    }

    @Test func `Flow ids are percent-encoded`() async throws {
        let device = try TestEngine()
        let verified = SignUp(engine: device.engine.flows).resumeVerified(
            StepToken(flow: "a&b=c d", kind: .registration, address: TestAccount.phone)
        )

        _ = try await verified.finish(password: "000000", name: PersonName(first: "A", last: "B"))

        #expect(device.server.log[0] == "POST /a/self-service/registration?flow=a%26b%3Dc%20d")
    }

    @Test func `A code can be sent again for the same flow`() async throws {
        let device = try TestEngine()

        try await SignUp(engine: device.engine.flows).resume(
            StepToken(flow: "f", kind: .registration, address: TestAccount.phone)
        ).resend()

        #expect(device.server.log == ["POST \(Self.phoneRoute)"])
    }

    @Test func `Invalid input is rejected without sending a request`() async throws {
        let device = try TestEngine()
        let signUp = SignUp(engine: device.engine.flows)
        let name = PersonName(first: "A", last: "B")
        let verified = signUp.resumeVerified(
            StepToken(flow: "f", kind: .registration, address: TestAccount.phone)
        )

        #expect(await outcome { try await signUp.begin(phone: "0664 1234567") }.code == .phoneInvalid)
        #expect(
            await outcome {
                try await signUp.resume(StepToken(flow: "f", kind: .registration)).verify("12345")
            }.code == .codeInvalid
        )
        #expect(
            await outcome { try await signUp.resume(StepToken(flow: "f", kind: .registration)).resend() }.code
                == .invalidInput
        )
        #expect(
            (await outcome { try await verified.finish(password: "0", name: name, email: "nobody") })
                .error?.fields.map(\.name) == ["traits.email"]
        )
        #expect(
            (await outcome {
                try await signUp.resumeVerified(StepToken(flow: "f", kind: .registration)).finish(
                    password: "0",
                    name: name
                )
            })
            .error?.fields.map(\.name) == ["traits.phone"]
        )
        #expect(device.server.log == [])
    }

    @Test func `The error for an invalid phone number says that the session is still valid`() async throws {
        let device = try await TestEngine.loggedIn()

        let error = await outcome { try await SignUp(engine: device.engine.flows).begin(phone: "0664") }
            .error

        #expect(error?.code == .phoneInvalid)
        #expect(error?.isStillSignedIn == true)
    }

    @Test(arguments: [
        (HTTP.Response.refusal(400, "phone_invalid"), LatchkeyError.Code.phoneInvalid),
        (.refusal(404), .flowUnknown),
        (.refusal(410, "self_service_flow_expired"), .flowExpired),
        (.refusal(429, "too_many_requests"), .tooManyRequests),
        (.refusal(502, "delivery_failed"), .deliveryFailed),
    ])
    func `The error says why a code couldn't be sent`(
        _ answer: HTTP.Response,
        _ code: LatchkeyError.Code
    ) async throws {
        let device = try TestEngine()
        device.server.plan("POST \(Self.phoneRoute)", .respond(answer))

        let result = await outcome {
            try await SignUp(engine: device.engine.flows).begin(phone: TestAccount.phone)
        }

        #expect(result.code == code)
    }

    @Test(arguments: [
        (HTTP.Response.refusal(400, "code_invalid"), LatchkeyError.Code.codeInvalid),
        (.refusal(400, "code_expired"), .codeExpired),
        (.refusal(400, "code_used"), .codeUsed),
        (.refusal(400, "code_attempts_exhausted"), .codeAttemptsExhausted),
        (.refusal(429, "too_many_requests"), .tooManyRequests),
    ])
    func `The error says why a code was rejected`(
        _ answer: HTTP.Response,
        _ code: LatchkeyError.Code
    ) async throws {
        let device = try TestEngine()
        device.server.plan("PATCH \(Self.phoneRoute)", .respond(answer))

        let result = await outcome {
            try await SignUp(engine: device.engine.flows).resume(StepToken(flow: "f", kind: .registration))
                .verify("271501")
        }

        #expect(result.code == code)
    }

    @Test(arguments: [FakeIdentityServer.Step.fail(.unreachable), .respond(.refusal(400, "csr_invalid"))])
    func `A missing certificate is reported after sign-up`(_ step: FakeIdentityServer.Step) async throws {
        let device = try TestEngine()
        device.server.plan(TestEngine.certificates, step, step, step, step)

        let result = await device.advancing(Task { await outcome { try await device.finishSignUp() } })

        #expect(result.code == .accountCreated)
        #expect(result.error?.message.contains("Log in to finish the sign-up") == true)
        #expect(result.error?.cause is LatchkeyError)
        #expect(device.isClean)
    }

    @Test func `The error says why an account was created but can't log in`() async throws {
        let device = try TestEngine()

        let error = await outcome { try await device.finishSignUp(onlyAs: "business") }.error

        #expect(error?.code == .accountCreated)
        #expect((error?.cause as? LatchkeyError)?.code == .schemaMismatch)
        #expect(error?.message.hasPrefix("The account was created, but cannot log in here. ") == true)
        #expect(device.isClean)
    }

    @Test func `The error says that the account was created if its session can't be stored`() async throws {
        let device = try TestEngine()
        device.store.fail(.write, with: SessionStoreError(.failed, message: "The disk is full."))

        let result = await outcome { try await device.finishSignUp() }

        #expect(result.code == .accountCreated)
        #expect(device.isClean)
    }

    @Test func `A rejected registration isn't reported as a created account`() async throws {
        let device = try TestEngine()
        let flow = #"""
            {"id":"f","ui":{"nodes":[{"type":"input","attributes":{"name":"traits.phone","type":"tel"},"messages":[
            {"id":4000010,"type":"error","text":"Not verified."},{"id":1,"type":"info","text":"Hello."}]}]}}
            """#
        device.server.plan("POST /a/self-service/registration", .respond(.json(400, flow)))

        let error = await outcome { try await device.finishSignUp() }.error

        #expect(error?.code == .phoneNotVerified)
        #expect(error?.fields == [LatchkeyError.Field(name: "traits.phone", message: "Not verified.")])
        #expect(error?.message == "Not verified.")
    }
}
