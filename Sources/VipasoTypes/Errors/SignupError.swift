extension VipasoError {
    /// The reason a sign-up step was rejected.
    public enum SignupError: Hashable, Sendable {
        /// The code could not be delivered or was not accepted.
        case otp(OTPError)
        /// The phone number has not been verified in this sign-up.
        case phoneNotVerified
        /// An account with this phone number or e-mail address already exists.
        case accountExists
        /// The account was created, but the user could not be logged in. The associated value describes why.
        ///
        /// The user can now log in with the new account.
        case accountCreated(reason: String)
        /// The user has tried to create an account too many times and must wait for the given time, or `nil`
        /// if the server did not specify one.
        ///
        /// If the user requests too many codes or guesses a code too many times, ``otp(_:)`` is reported
        /// instead.
        case tooManyAttempts(retryAfter: Duration?)
        /// Some of the input was rejected. The associated messages explain why.
        case rejected([Field])
        /// The sign-up has expired, was already completed, or is unknown. The user must start a new sign-up.
        case expired
    }

    /// The reason a code could not be delivered or was not accepted.
    public enum OTPError: Hashable, Sendable {
        /// The text is not a valid phone number.
        case invalidNumber
        /// The code cannot be delivered to this number.
        case undeliverable
        /// The user has requested or entered too many codes and must wait for the given time, or `nil` if the
        /// server did not specify one.
        case tooManyRequests(retryAfter: Duration?)
        /// The code is wrong.
        case wrongCode
        /// The code has expired. The user must request another code.
        case expiredCode
        /// The code has already been used. The user must request another code.
        case usedCode
        /// The user entered a wrong code too many times and must request another one.
        case attemptsExhausted
    }

    /// A message about an input field.
    public struct Field: Hashable, Sendable {
        /// The server's name for the field, such as `password` or `traits.name.first`.
        ///
        /// The name is empty if the message applies to the input as a whole.
        public var name: String

        /// The message to show to the user.
        public var message: String

        /// Creates a message.
        ///
        /// - Parameters:
        ///   - name: The server's name for the field, or an empty string if the message applies to the input
        ///     as a whole.
        ///   - message: The message to show to the user.
        public init(name: String, message: String) {
            self.name = name
            self.message = message
        }
    }
}
