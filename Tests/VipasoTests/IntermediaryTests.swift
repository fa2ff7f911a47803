import Latchkey
import LatchkeyTestKit
import TestStore
import Testing
import VipasoPay
import VipasoSDK

/// Performs every call of VipasoSDK and VipasoPay while an intermediary interferes with one of its exchanges.
@MainActor @Suite(.timeLimit(.minutes(30))) struct `Vipaso's modules behind an intermediary` {
    nonisolated enum Module: String, CaseIterable, Sendable {
        case sdk, pay
    }

    nonisolated enum Step: String, CaseIterable, Sendable {
        case startSignupFlow, verifyPhoneNumber, finishSignupFlow, login, businessLogin, checkAuthentication
    }

    /// Returns a prepared call, which returns the error.
    private static func prepare(
        _ step: Step,
        on device: VipasoDevice
    ) async throws -> @MainActor @Sendable () async -> VipasoError? {
        switch step {
        case .startSignupFlow:
            return { await device.startSignup().error }
        case .verifyPhoneNumber:
            let flow = try await device.startSignup().get().flowID
            let code = try await device.server.code(for: device.newPhone)
            return { await device.verify(flow, code: code).error }
        case .finishSignupFlow:
            let flow = try await device.startSignup().get().flowID
            let code = try await device.server.code(for: device.newPhone)
            _ = try await device.verify(flow, code: code).get()
            return { await device.finishSignup(flow).error }
        case .login:
            return { await device.logIn().error }
        case .businessLogin:
            return { await device.logInBusiness().error }
        case .checkAuthentication:
            return {
                await device.checkAuthentication()
                return nil
            }
        }
    }

    private static func perform(
        _ step: Step,
        _ module: Module,
        on server: TestServer,
        number: Int,
        behind interference: (Interference, after: Int)?
    ) async throws -> (device: VipasoDevice, error: VipasoError?) {
        // Limits on texts and logins apply to a day.
        server.time.advance(by: .seconds(86_400))
        let device = try VipasoDevice(module, server, newPhone: "+43664\(1_000_000 + number)")
        _ = try await device.logIn().get()
        let call = try await prepare(step, on: device)
        device.intermediary.forget()
        if let (interference, count) = interference {
            device.intermediary.interfere(interference, after: count)
        }
        let error = await device.intermediary.outcome { await call() }
        device.intermediary.interfere(nil)
        return (device, error)
    }

    @Test(arguments: Step.allCases, Module.allCases)
    func `A disturbed response is neither a success nor a rejection, and the session is kept`(
        _ step: Step,
        _ module: Module
    ) async throws {
        guard step != .businessLogin || module == .sdk else { return }
        let server = try await TestServer.withUsers()
        let clean = try await Self.perform(step, module, on: server, number: 0, behind: nil)
        #expect(clean.error == nil)
        let requests = clean.device.intermediary.exchanges.count
        #expect(requests > 0)

        var number = 0
        for count in 0..<requests {
            for interference in Interference.sample(of: module.rawValue + step.rawValue, at: count)
            where !step.accepts(interference) {
                number += 1
                let (device, error) = try await Self.perform(
                    step,
                    module,
                    on: server,
                    number: number,
                    behind: (interference, after: count)
                )
                let place = "\(interference.testDescription) at request \(count)"
                if let error {
                    #expect(!error.isVerdict, "\(place): \(error)")
                } else if step != .checkAuthentication {
                    for route in device.intermediary.exchanges.unconfirmedRoutes {
                        Issue.record(
                            "\(place): the call succeeded, but the response of \(route) was replaced"
                        )
                    }
                }
                #expect(device.state == .authenticated, "\(place)")
                await device.checkAuthentication()
                #expect(device.state == .authenticated, "\(place)")
            }
        }
        await server.stop()
    }
}

extension `Vipaso's modules behind an intermediary`.Step {
    /// Returns whether an intermediary's response can't be told from one of the server.
    nonisolated fileprivate func accepts(_ interference: Interference) -> Bool {
        self == .verifyPhoneNumber && interference.testDescription.hasPrefix(#"JSON 200 {"message":"ok"}"#)
    }
}

extension VipasoError {
    /// Whether the error says that the server has rejected the request, or that the user isn't logged in.
    nonisolated fileprivate var isVerdict: Bool {
        switch self {
        case .server, .network, .login(.tooManyAttempts), .signup(.tooManyAttempts),
            .signup(.otp(.tooManyRequests)), .signup(.accountCreated):
            false
        default: true
        }
    }
}

/// A device behind an intermediary, with an app that uses one of the modules.
@MainActor private struct VipasoDevice: Sendable {
    let server: TestServer
    let intermediary: Intermediary
    /// A phone number without an account.
    let newPhone: String
    private let sdk: VipasoClient?
    private let pay: VipasoPayClient?

    init(
        _ module: `Vipaso's modules behind an intermediary`.Module,
        _ server: TestServer,
        newPhone: String
    ) throws {
        (self.server, self.newPhone) = (server, newPhone)
        let network = server.transport()
        intermediary = Intermediary(server, on: network)
        let configuration = VipasoApp.configuration(server, MemoryStore(), network)
        sdk = module == .sdk ? try VipasoClient(configuration: configuration) : nil
        pay = module == .pay ? try VipasoPayClient(configuration: configuration) : nil
    }

    var state: VipasoAuthenticationState? { sdk?.authenticationState ?? pay?.authenticationState }

    func startSignup() async -> Result<StartSignupResponse, VipasoError> {
        let request = StartSignupRequest(phoneNumber: newPhone)
        return await answer { answer in
            sdk?.user.customer.startSignupFlow(request: request, completion: answer)
            pay?.startSignupFlow(request: request, completion: answer)
        }
    }

    func verify(_ flow: String, code: String) async -> Result<VerifyPhoneNumberResponse, VipasoError> {
        let request = VerifyPhoneNumberRequest(flowID: flow, otp: code)
        return await answer { answer in
            sdk?.user.customer.verifyPhoneNumber(request: request, completion: answer)
            pay?.verifyPhoneNumber(request: request, completion: answer)
        }
    }

    func finishSignup(_ flow: String) async -> Result<FinishSignupResponse, VipasoError> {
        let request = FinishSignupRequest(
            flowID: flow,
            password: TestAccount.passcode,
            email: nil,
            firstName: "User",
            lastName: "Test",
            phoneNumber: newPhone
        )
        return await answer { answer in
            sdk?.user.customer.finishSignupFlow(request: request, completion: answer)
            pay?.finishSignupFlow(request: request, completion: answer)
        }
    }

    func logIn() async -> Result<LoginResponse, VipasoError> {
        let request = LoginRequest(identifier: TestAccount.phone, password: TestAccount.passcode)
        return await answer { answer in
            sdk?.user.customer.login(request: request, completion: answer)
            pay?.login(request: request, completion: answer)
        }
    }

    func logInBusiness() async -> Result<LoginResponse, VipasoError> {
        let request = LoginRequest(identifier: TestAccount.email, password: TestAccount.password)
        return await answer { sdk?.user.business.login(request: request, completion: $0) }
    }

    /// Lets the client check its session, and waits until the server's response has been processed.
    func checkAuthentication() async {
        let count = intermediary.exchanges.count
        sdk?.checkAuthentication()
        pay?.checkAuthentication()
        while intermediary.exchanges.count == count { await Task.yield() }
        await mainActorIsIdle()
    }
}
