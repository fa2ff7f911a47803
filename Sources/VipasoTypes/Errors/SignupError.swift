extension VipasoError {
    /// The reason why a sign-up step was rejected.
    public enum SignupError: Hashable, Sendable {
        /// The code could not be delivered, or was not accepted.
        case otp(OTPError)
        /// The phone number has not been verified in this sign-up.
        case phoneNotVerified
        /// An account with this phone number or e-mail address already exists.
        case accountExists
        /// The account was created, but the login was not completed for the given reason.
        ///
        /// The user can now log in.
        case accountCreated(reason: String)
        /// The user has made too many attempts to create an account and must wait for the given time; `nil`
        /// if the server gave none.
        ///
        /// Too many codes, or too many guesses at a code, are reported as ``otp(_:)``.
        case tooManyAttempts(retryAfter: Duration?)
        /// Some of the input was rejected, for the reasons in the messages about its fields.
        case rejected([Field])
        /// The sign-up has expired, was already completed or is unknown, so the user must start a new one.
        case expired
    }

    /// The reason why a code could not be delivered, or was not accepted.
    public enum OTPError: Hashable, Sendable {
        /// The text is not a valid phone number.
        case invalidNumber
        /// The code cannot be delivered to this number.
        case undeliverable
        /// Too many codes were requested or entered, and the user must wait for the given time; `nil` if the
        /// server gave none.
        case tooManyRequests(retryAfter: Duration?)
        /// The code is wrong.
        case wrongCode
        /// The code has expired, so the user must request another one.
        case expiredCode
        /// The code has already been used, so the user must request another one.
        case usedCode
        /// A wrong code was entered too many times, so the user must request another one.
        case attemptsExhausted
    }

    /// A message about an input field.
    public struct Field: Hashable, Sendable {
        /// The server's name for the field, such as `password` or `traits.name.first`.
        ///
        /// The name is empty if the message concerns the input as a whole.
        public var name: String

        /// The message, which the app shows to the user.
        public var message: String

        /// Creates a message.
        ///
        /// - Parameters:
        ///   - name: The server's name for the field, or an empty string for a message about the input as a
        ///     whole.
        ///   - message: The message, which the app shows to the user.
        public init(name: String, message: String) {
            self.name = name
            self.message = message
        }
    }
}
