import Latchkey
import LatchkeyCore
import Testing

@testable import VipasoTypes

/// An error code of the client, and the errors into which each step translates it.
struct Translation: CustomTestStringConvertible, Sendable {
    static let refusal = ServerRefusal(status: 418, id: "teapot")
    static let field = LatchkeyError.Field(name: "traits.email", message: "This is not an address.")

    let code: LatchkeyError.Code
    private let retry: LatchkeyError.Retry
    private let errors: [VipasoError.Step: VipasoError]

    var testDescription: String { "\(code), \(retry)" }

    /// Creates a table that maps one of the client's errors to the same error in every step.
    init(_ code: LatchkeyError.Code, everywhere error: VipasoError) {
        self.init(
            code,
            setup: error,
            start: error,
            verify: error,
            finish: error,
            login: error,
            request: error
        )
    }

    /// Creates a table with the error that each step is expected to report when the client throws the given
    /// error.
    ///
    /// If no error is given for a step, that step is expected to report a server error.
    init(
        _ code: LatchkeyError.Code,
        retry: LatchkeyError.Retry = .never,
        setup: VipasoError? = nil,
        start: VipasoError? = nil,
        verify: VipasoError? = nil,
        finish: VipasoError? = nil,
        login: VipasoError? = nil,
        request: VipasoError? = nil
    ) {
        self.code = code
        self.retry = retry
        let given: [VipasoError.Step: VipasoError?] = [
            .setup: setup, .startSignup: start, .verifyPhoneNumber: verify, .finishSignup: finish,
            .login: login, .request: request,
        ]
        errors = given.compactMapValues { $0 }
    }

    func expected(in step: VipasoError.Step) -> VipasoError {
        errors[step] ?? .server(.init(status: 418, id: "teapot", message: "Because."))
    }

    func error(in step: VipasoError.Step) -> VipasoError {
        VipasoError(
            LatchkeyError(code, message: "Because.", fields: [Self.field], retry: retry, cause: Self.refusal),
            in: step
        )
    }

    private static let rejected = [
        VipasoError.Field(name: "traits.email", message: "This is not an address."),
        VipasoError.Field(name: "", message: "Because."),
    ]

    private static func otp(_ code: LatchkeyError.Code, _ reason: VipasoError.OTPError) -> Translation {
        Translation(code, start: .signup(.otp(reason)), verify: .signup(.otp(reason)))
    }

    private static func signup(_ code: LatchkeyError.Code, _ error: VipasoError.SignupError) -> Translation {
        Translation(code, start: .signup(error), verify: .signup(error), finish: .signup(error))
    }

    private static func limit(_ retry: LatchkeyError.Retry, _ delay: Duration?) -> Translation {
        Translation(
            .tooManyRequests,
            retry: retry,
            start: .signup(.otp(.tooManyRequests(retryAfter: delay))),
            verify: .signup(.otp(.tooManyRequests(retryAfter: delay))),
            finish: .signup(.tooManyAttempts(retryAfter: delay)),
            login: .login(.tooManyAttempts(retryAfter: delay))
        )
    }

    static let all = [
        Translation(.unreachable, everywhere: .network(.unreachable)),
        Translation(.timedOut, everywhere: .network(.timedOut)),
        Translation(.untrusted, everywhere: .network(.untrusted)),
        Translation(.cancelled, everywhere: .network(.cancelled)),
        Translation(.storageUnavailable, everywhere: .storage(.unavailable("Because."))),
        Translation(.storageFailed, everywhere: .storage(.failed("Because."))),
        Translation(.deviceKeyFailed, everywhere: .storage(.key("Because."))),
        Translation(.signedOut, everywhere: .loggedOut),
        Translation(.sessionEnded, everywhere: .loggedOut),
        Translation(.superseded, everywhere: .superseded),
        Translation(
            .invalidInput,
            setup: .configuration("Because."),
            start: .signup(.rejected(rejected)),
            verify: .signup(.rejected(rejected)),
            finish: .signup(.rejected(rejected)),
            login: .login(.rejected(rejected)),
            request: .configuration("Because.")
        ),
        signup(.phoneNotVerified, .phoneNotVerified),
        signup(.accountExists, .accountExists),
        signup(.flowExpired, .expired),
        signup(.flowUnknown, .expired),
        Translation(.accountCreated, finish: .signup(.accountCreated(reason: "Because."))),
        Translation(
            .phoneInvalid,
            start: .signup(.otp(.invalidNumber)),
            verify: .signup(.otp(.invalidNumber)),
            finish: .signup(.rejected(rejected))
        ),
        otp(.deliveryFailed, .undeliverable),
        otp(.codeInvalid, .wrongCode),
        otp(.codeExpired, .expiredCode),
        otp(.codeUsed, .usedCode),
        otp(.codeAttemptsExhausted, .attemptsExhausted),
        limit(.after(.seconds(61)), .seconds(61)),
        limit(.later, nil),
        Translation(.invalidCredentials, login: .login(.wrongCredentials)),
        Translation(.accountDisabled, login: .login(.accountDisabled)),
        Translation(.schemaMismatch, login: .login(.wrongUserKind("Because."))),
        Translation(.originNotAllowed, request: .configuration("Because.")),
        Translation(.certificateRequired),
        Translation(.proofRejected),
        Translation(.dismissed),
        Translation(.dutyRequired),
        Translation(.noPresenter),
        Translation(.accountNotFound),
        Translation(.anotherCodeSent),
        Translation(.addressNotVerified),
        Translation(.flowDisabled),
        Translation(.reauthenticationRequired),
        Translation(.sessionRequired),
        Translation(.identityMismatch),
        Translation(.serverFailed),
        Translation(.refused),
        Translation(.invalidResponse),
    ]
}

@Suite struct `Vipaso errors` {
    @Test(arguments: Translation.all, VipasoError.Step.allCases)
    func `Each step translates the client's errors`(
        _ translation: Translation,
        _ step: VipasoError.Step
    ) {
        #expect(translation.error(in: step) == translation.expected(in: step))
    }

    @Test func `Every client error code has a translation`() {
        #expect(Set(Translation.all.map(\.code)) == Set(LatchkeyError.Code.all))
    }

    @Test func `The error for a failed login after a sign-up contains the reason for the failure`() {
        let cause = LatchkeyError(.storageFailed, message: "The disk is full.")
        let error = LatchkeyError(
            .accountCreated,
            message: "The account was created. The disk is full.",
            cause: cause
        )

        #expect(
            VipasoError(error, in: .finishSignup)
                == .signup(.accountCreated(reason: "The disk is full."))
        )
    }

    @Test(arguments: [VipasoError.Step.startSignup, .verifyPhoneNumber, .finishSignup, .login])
    func `An input error without fields shows the client's message`(_ step: VipasoError.Step) {
        let error = VipasoError(LatchkeyError(.invalidInput, message: "The path is invalid."), in: step)

        #expect(error.errorDescription == "The path is invalid.")
    }

    @Test func `An input error shows each message once`() {
        let field = LatchkeyError.Field(name: "password", message: "Too short.")
        let error = VipasoError(
            LatchkeyError(.invalidInput, message: "Too short.", fields: [field]),
            in: .login
        )

        #expect(error == .login(.rejected([.init(name: "password", message: "Too short.")])))
    }

    @Test func `Errors are equatable and hashable`() {
        let errors: Set<VipasoError> = [.loggedOut, .superseded, .network(.timedOut), .loggedOut]

        #expect(errors.count == 3)
        #expect(VipasoError.network(.timedOut) != .network(.unreachable))
    }

    @Test func `A server error has the status 0 if the response could not be read`() {
        let error = VipasoError(LatchkeyError(.invalidResponse, message: "Because."), in: .login)
        #expect(error == .server(.init(status: 0, message: "Because.")))
        #expect(error.errorDescription == "Because.")
    }

    @Test(
        arguments: [
            (nil, "Too many attempts. Try again later."),
            (.zero, "Too many attempts. Try again in 1 second."),
            (.seconds(1), "Too many attempts. Try again in 1 second."),
            (.seconds(2), "Too many attempts. Try again in 2 seconds."),
            (.seconds(61), "Too many attempts. Try again in 61 seconds."),
            (.seconds(89), "Too many attempts. Try again in 89 seconds."),
            (.seconds(90), "Too many attempts. Try again in 2 minutes."),
            (.seconds(120), "Too many attempts. Try again in 2 minutes."),
            (.seconds(121), "Too many attempts. Try again in 3 minutes."),
        ] as [(Duration?, String)]
    )
    func `The time to wait is rounded up`(_ delay: Duration?, _ sentence: String) {
        for error in [
            VipasoError.signup(.otp(.tooManyRequests(retryAfter: delay))),
            .signup(.tooManyAttempts(retryAfter: delay)),
            .login(.tooManyAttempts(retryAfter: delay)),
        ] {
            #expect(error.errorDescription == sentence)
            #expect(error.description == sentence)
        }
    }

    @Test func `An input error shows the field messages if there are any, and a general message otherwise`() {
        let fields = [
            VipasoError.Field(name: "password", message: "Too short."),
            VipasoError.Field(name: "traits.email", message: "No address."),
        ]
        #expect(VipasoError.login(.rejected(fields)).errorDescription == "Too short. No address.")
        #expect(
            VipasoError.signup(.rejected([])).errorDescription
                == "Some of the information you entered is not valid."
        )
    }
}
