public import Foundation

extension VipasoError: LocalizedError {
    /// An English sentence that the app can show.
    ///
    /// The same sentence is available as `localizedDescription`.
    public var errorDescription: String? {
        switch self {
        case .signup(let error): error.sentence
        case .login(let error): error.sentence
        case .server(let error): error.sentence
        case .network(let error): error.sentence
        case .storage(let error): error.sentence
        case .loggedOut: "You are not logged in."
        case .superseded: "Another login was started."
        case .configuration(let reason): "The app is not set up correctly. \(reason)"
        }
    }
}

extension VipasoError: CustomStringConvertible {
    /// The same text as ``errorDescription``.
    public var description: String { errorDescription ?? "VipasoError" }
}

extension VipasoError.SignupError {
    /// The error message, followed by the reason or the time to wait if there is one.
    fileprivate var sentence: String {
        switch self {
        case .otp(let error): error.sentence
        case .phoneNotVerified: "The phone number has not been verified yet."
        case .accountExists:
            "An account with this phone number or e-mail address already exists. Log in instead."
        case .accountCreated(let reason): "Your account was created. Log in to finish. (\(reason))"
        case .tooManyAttempts(let delay): "Too many attempts." + delay.hint
        case .rejected(let fields): fields.sentence
        case .expired: "This took too long. Please start again."
        }
    }
}

extension VipasoError.OTPError {
    fileprivate var sentence: String {
        switch self {
        case .invalidNumber: "This is not a valid phone number. Enter it with + and the country code."
        case .undeliverable: "The code could not be delivered to this phone number."
        case .tooManyRequests(let delay): "Too many attempts." + delay.hint
        case .wrongCode: "The code is wrong."
        case .expiredCode: "The code has expired. Request a new one."
        case .usedCode: "The code has already been used. Request a new one."
        case .attemptsExhausted: "You entered a wrong code too many times. Request a new code."
        }
    }
}

extension VipasoError.LoginError {
    fileprivate var sentence: String {
        switch self {
        case .wrongCredentials: "The phone number, e-mail address or password is wrong."
        case .wrongUserKind(let reason): "This account cannot be used to log in here. (\(reason))"
        case .accountDisabled: "This account has been disabled."
        case .tooManyAttempts(let delay): "Too many attempts." + delay.hint
        case .rejected(let fields): fields.sentence
        }
    }
}

extension VipasoError.ServerError {
    fileprivate var sentence: String {
        status == 0
            ? message
            : "The server rejected the request (\([String(status), id].compactMap(\.self).joined(separator: " "))): \(message)"
    }
}

extension VipasoError.NetworkError {
    fileprivate var sentence: String {
        switch self {
        case .unreachable: "The server cannot be reached. Check your connection and try again."
        case .timedOut: "The server did not respond in time. Try again."
        case .untrusted: "The connection to the server is not secure, so no data was sent."
        case .cancelled: "The operation was cancelled."
        }
    }
}

extension VipasoError.StorageError {
    fileprivate var sentence: String {
        switch self {
        case .unavailable(let reason): "Your login cannot be read on this device right now. (\(reason))"
        case .failed(let reason): "Your login could not be saved on this device. (\(reason))"
        case .key(let reason): "This device could not create its key. (\(reason))"
        }
    }
}

extension [VipasoError.Field] {
    fileprivate var sentence: String {
        isEmpty ? "Some of the information you entered is not valid." : map(\.message).joined(separator: " ")
    }
}

extension Duration? {
    /// A sentence that says how long to wait.
    ///
    /// The time is given in seconds below 90 s, and otherwise in minutes, rounded up.
    fileprivate var hint: String {
        guard let self else { return " Try again later." }
        let seconds = max(self.components.seconds, 1)
        guard seconds < 90 else { return " Try again in \((seconds + 59) / 60) minutes." }
        return " Try again in \(seconds) \(seconds == 1 ? "second" : "seconds")."
    }
}
