import Latchkey

extension VipasoError {
    /// The step in which an error occurred.
    ///
    /// The same client error can mean different things in different steps.
    enum Step: CaseIterable, Sendable {
        case setup, startSignup, verifyPhoneNumber, finishSignup, login, request
    }

    /// Translates an error from the underlying client.
    ///
    /// Network, storage, sign-out and replacement errors have the same meaning in every step. Errors without
    /// a dedicated case become ``server(_:)``.
    ///
    /// - Parameters:
    ///   - error: The client's error.
    ///   - step: The step in which the error occurred.
    init(_ error: LatchkeyError, in step: Step) {
        switch error.code {
        case .unreachable: self = .network(.unreachable)
        case .timedOut: self = .network(.timedOut)
        case .untrusted: self = .network(.untrusted)
        case .cancelled: self = .network(.cancelled)
        case .storageUnavailable: self = .storage(.unavailable(error.message))
        case .storageFailed: self = .storage(.failed(error.message))
        case .deviceKeyFailed: self = .storage(.key(error.message))
        case .signedOut, .sessionEnded: self = .loggedOut
        case .superseded: self = .superseded
        default:
            let specific: VipasoError? =
                switch step {
                case .setup: error.code == .invalidInput ? .configuration(error.message) : nil
                case .startSignup, .verifyPhoneNumber, .finishSignup:
                    SignupError(error, in: step).map { .signup($0) }
                case .login: LoginError(error).map { .login($0) }
                case .request:
                    [.invalidInput, .originNotAllowed].contains(error.code)
                        ? .configuration(error.message) : nil
                }
            self = specific ?? .server(ServerError(error))
        }
    }
}

extension VipasoError.SignupError {
    fileprivate init?(_ error: LatchkeyError, in step: VipasoError.Step) {
        switch (error.code, step) {
        case (.phoneNotVerified, _): self = .phoneNotVerified
        case (.accountExists, _): self = .accountExists
        case (.flowExpired, _), (.flowUnknown, _): self = .expired
        case (.accountCreated, .finishSignup):
            self = .accountCreated(reason: (error.cause as? LatchkeyError ?? error).message)
        case (.tooManyRequests, .finishSignup): self = .tooManyAttempts(retryAfter: error.retry.delay)
        case (.invalidInput, _), (.phoneInvalid, .finishSignup):
            self = .rejected(VipasoError.Field.fields(of: error))
        case (_, .finishSignup): return nil
        default:
            guard let otp = VipasoError.OTPError(error) else { return nil }
            self = .otp(otp)
        }
    }
}

extension VipasoError.OTPError {
    /// Translates an error about a verification code, or returns `nil` for any other error.
    fileprivate init?(_ error: LatchkeyError) {
        switch error.code {
        case .phoneInvalid: self = .invalidNumber
        case .deliveryFailed: self = .undeliverable
        case .tooManyRequests: self = .tooManyRequests(retryAfter: error.retry.delay)
        case .codeInvalid: self = .wrongCode
        case .codeExpired: self = .expiredCode
        case .codeUsed: self = .usedCode
        case .codeAttemptsExhausted: self = .attemptsExhausted
        default: return nil
        }
    }
}

extension VipasoError.LoginError {
    fileprivate init?(_ error: LatchkeyError) {
        switch error.code {
        case .invalidCredentials: self = .wrongCredentials
        case .schemaMismatch: self = .wrongUserKind(error.message)
        case .accountDisabled: self = .accountDisabled
        case .tooManyRequests: self = .tooManyAttempts(retryAfter: error.retry.delay)
        case .invalidInput: self = .rejected(VipasoError.Field.fields(of: error))
        default: return nil
        }
    }
}

extension VipasoError.ServerError {
    /// Copies the status and the error id from the server's response.
    ///
    /// If there is no response, the status is 0.
    fileprivate init(_ error: LatchkeyError) {
        let refusal = error.cause as? ServerRefusal
        let status = refusal?.status ?? (error.cause as? UnrecognizedResponse)?.status ?? 0
        self.init(status: status, id: refusal?.id, message: error.message)
    }
}

extension VipasoError.Field {
    /// Returns the messages about fields, followed by the error's own message unless it is already included.
    fileprivate static func fields(of error: LatchkeyError) -> [VipasoError.Field] {
        let fields = error.fields.map { VipasoError.Field(name: $0.name, message: $0.message) }
        guard !fields.contains(where: { $0.message == error.message }) else { return fields }
        return fields + [VipasoError.Field(name: "", message: error.message)]
    }
}

extension LatchkeyError.Retry {
    /// The time to wait before retrying, or `nil` if the server did not specify one.
    fileprivate var delay: Duration? {
        if case .after(let delay) = self { delay } else { nil }
    }
}
