import Latchkey
import Testing

@testable import VipasoTypes

/// A failure of the engine, and the error that each kind of call makes of it.
struct Translation: CustomTestStringConvertible, Sendable {
    static let refusal = ServerRefusal(status: 418, id: "teapot")
    static let fields = [LatchkeyError.Field(name: "traits.email", message: "This is no address.")]

    let code: LatchkeyError.Code
    var retry = LatchkeyError.Retry.never
    let signup: VipasoError
    let login: VipasoError

    var testDescription: String { "\(code), \(retry)" }

    init(_ code: LatchkeyError.Code, both error: VipasoError) {
        self.init(code, signup: error, login: error)
    }

    /// A call without a case of its own reports an error of the server.
    init(
        _ code: LatchkeyError.Code,
        retry: LatchkeyError.Retry = .never,
        signup: VipasoError? = nil,
        login: VipasoError? = nil
    ) {
        let server = VipasoError.server(.init(status: 418, id: "teapot", message: "Because."))
        self.code = code
        self.retry = retry
        self.signup = signup ?? server
        self.login = login ?? server
    }

    func error(from call: VipasoError.Call) -> VipasoError {
        VipasoError(
            LatchkeyError(code, "Because.", fields: Self.fields, retry: retry, cause: Self.refusal),
            from: call
        )
    }

    private static let rejected = [
        VipasoError.Field(name: "traits.email", message: "This is no address.")
    ]

    static let all = [
        Translation(.unreachable, both: .network(.unreachable)),
        Translation(.timedOut, both: .network(.timedOut)),
        Translation(.untrusted, both: .network(.untrusted)),
        Translation(.cancelled, both: .network(.cancelled)),
        Translation(.storageUnavailable, both: .storage(.unavailable("Because."))),
        Translation(.storageFailed, both: .storage(.failed("Because."))),
        Translation(.deviceKeyFailed, both: .storage(.key("Because."))),
        Translation(.signedOut, both: .loggedOut),
        Translation(.sessionEnded, both: .loggedOut),
        Translation(.accountOfAnotherKind, both: .login(.wrongUserKind("Because."))),
        Translation(.phoneNotVerified, signup: .signup(.phoneNotVerified)),
        Translation(.accountExists, signup: .signup(.accountExists)),
        Translation(.accountCreated, signup: .signup(.accountCreated(reason: "Because."))),
        Translation(.flowExpired, signup: .signup(.expired)),
        Translation(.flowUnknown, signup: .signup(.expired)),
        Translation(
            .invalidInput,
            signup: .signup(.rejected(rejected)),
            login: .login(.rejected(rejected))
        ),
        Translation(.phoneInvalid, signup: .signup(.otp(.invalidNumber))),
        Translation(.deliveryFailed, signup: .signup(.otp(.undeliverable))),
        Translation(.codeInvalid, signup: .signup(.otp(.wrongCode))),
        Translation(.codeExpired, signup: .signup(.otp(.expiredCode))),
        Translation(.codeUsed, signup: .signup(.otp(.usedCode))),
        Translation(.codeAttemptsExhausted, signup: .signup(.otp(.attemptsExhausted))),
        Translation(
            .tooManyRequests,
            retry: .after(.seconds(61)),
            signup: .signup(.otp(.tooManyRequests(retryAfter: .seconds(61)))),
            login: .login(.tooManyAttempts(retryAfter: .seconds(61)))
        ),
        Translation(
            .tooManyRequests,
            retry: .later,
            signup: .signup(.otp(.tooManyRequests(retryAfter: nil))),
            login: .login(.tooManyAttempts(retryAfter: nil))
        ),
        Translation(.invalidCredentials, login: .login(.wrongCredentials)),
        Translation(.accountDisabled, login: .login(.accountDisabled)),
        Translation(.certificateRequired),
        Translation(.serverFailed),
        Translation(.refused),
        Translation(.invalidAnswer),
    ]
}

@Suite struct `A Vipaso error` {
    @Test(arguments: Translation.all)
    func `has the case that the engine's error means for the call`(_ translation: Translation) {
        #expect(translation.error(from: .signup).isSame(as: translation.signup))
        #expect(translation.error(from: .login).isSame(as: translation.login))
    }

    @Test func `of the server has status 0 when there was no refusal that could be read`() {
        let error = VipasoError(LatchkeyError(.invalidAnswer, "Because."), from: .login)
        #expect(error.isSame(as: .server(.init(status: 0, message: "Because."))))
        #expect(error.errorDescription == "Because.")
    }

    @Test(
        arguments: [
            (nil, "There were too many attempts. Try again later."),
            (.zero, "There were too many attempts. Try again in 1 seconds."),
            (.seconds(61), "There were too many attempts. Try again in 61 seconds."),
            (.seconds(89), "There were too many attempts. Try again in 89 seconds."),
            (.seconds(90), "There were too many attempts. Try again in 2 minutes."),
            (.seconds(120), "There were too many attempts. Try again in 2 minutes."),
            (.seconds(121), "There were too many attempts. Try again in 3 minutes."),
        ] as [(Duration?, String)]
    )
    func `says how long to wait, and never too short a time`(_ delay: Duration?, _ sentence: String) {
        for error in [
            VipasoError.signup(.otp(.tooManyRequests(retryAfter: delay))),
            .login(.tooManyAttempts(retryAfter: delay)),
        ] {
            #expect(error.errorDescription == sentence)
            #expect(error.description == sentence)
        }
    }

    @Test func `about inputs shows their messages, or that something is not accepted`() {
        let fields = [
            VipasoError.Field(name: "password", message: "Too short."),
            VipasoError.Field(name: "traits.email", message: "No address."),
        ]
        #expect(VipasoError.login(.rejected(fields)).errorDescription == "Too short. No address.")
        #expect(
            VipasoError.signup(.rejected([])).errorDescription
                == "Something that was entered is not accepted."
        )
    }
}

extension VipasoError {
    fileprivate func isSame(as other: VipasoError) -> Bool {
        switch (self, other) {
        case (.signup(let left), .signup(let right)): left == right
        case (.login(let left), .login(let right)): left == right
        case (.server(let left), .server(let right)): left == right
        case (.network(let left), .network(let right)): left == right
        case (.storage(let left), .storage(let right)): left == right
        case (.loggedOut, .loggedOut): true
        case (.configuration(let left), .configuration(let right)): left == right
        default: false
        }
    }
}
