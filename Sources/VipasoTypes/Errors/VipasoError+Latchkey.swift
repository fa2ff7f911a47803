import Latchkey

extension VipasoError {
    /// Which kind of call an error comes from.
    enum Call: Sendable {
        case signup, login
    }

    /// Translates an error of the engine.
    init(_ error: LatchkeyError, from call: Call) {
        switch error.code {
        case .unreachable: self = .network(.unreachable)
        case .timedOut: self = .network(.timedOut)
        case .untrusted: self = .network(.untrusted)
        case .cancelled: self = .network(.cancelled)
        case .storageUnavailable: self = .storage(.unavailable(error.message))
        case .storageFailed: self = .storage(.failed(error.message))
        case .deviceKeyFailed: self = .storage(.key(error.message))
        case .signedOut, .sessionEnded: self = .loggedOut
        case .accountOfAnotherKind: self = .login(.wrongUserKind(error.message))
        default:
            let specific =
                switch call {
                case .signup: SignupError(error).map(VipasoError.signup)
                case .login: LoginError(error).map(VipasoError.login)
                }
            self = specific ?? .server(ServerError(error))
        }
    }
}

extension VipasoError.SignupError {
    fileprivate init?(_ error: LatchkeyError) {
        if let otp = VipasoError.OTPError(error) {
            self = .otp(otp)
            return
        }
        switch error.code {
        case .phoneNotVerified: self = .phoneNotVerified
        case .accountExists: self = .accountExists
        case .accountCreated: self = .accountCreated(reason: error.message)
        case .flowExpired, .flowUnknown: self = .expired
        case .invalidInput: self = .rejected(error.fields.map(VipasoError.Field.init))
        default: return nil
        }
    }
}

extension VipasoError.OTPError {
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
        case .accountDisabled: self = .accountDisabled
        case .tooManyRequests: self = .tooManyAttempts(retryAfter: error.retry.delay)
        case .invalidInput: self = .rejected(error.fields.map(VipasoError.Field.init))
        default: return nil
        }
    }
}

extension VipasoError.ServerError {
    fileprivate init(_ error: LatchkeyError) {
        let refusal = error.cause as? ServerRefusal
        self.init(status: refusal?.status ?? 0, id: refusal?.id, message: error.message)
    }
}

extension VipasoError.Field {
    fileprivate init(_ field: LatchkeyError.Field) {
        self.init(name: field.name, message: field.message)
    }
}

extension LatchkeyError.Retry {
    fileprivate var delay: Duration? {
        if case .after(let delay) = self { delay } else { nil }
    }
}
