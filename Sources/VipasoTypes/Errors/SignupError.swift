extension VipasoError {
    /// Why a step of a sign-up was refused.
    public enum SignupError: Hashable, Sendable {
        /// The code could not be delivered, or is not accepted.
        case otp(OTPError)
        /// The phone number has not been verified in this sign-up.
        case phoneNotVerified
        /// There is an account with this phone number or address already.
        case accountExists
        /// The account was created, but the login was not finished, for the given reason; a login finishes it.
        case accountCreated(reason: String)
        /// There were too many attempts to create an account; how long to wait, if it is known.
        ///
        /// Too many codes, or guesses at one, are ``otp(_:)``.
        case tooManyAttempts(retryAfter: Duration?)
        /// The input was refused.
        case rejected([Field])
        /// The sign-up took too long, is finished, or is unknown; begin again.
        case expired
    }

    /// Why a code could not be delivered, or is not accepted.
    public enum OTPError: Hashable, Sendable {
        /// The text is no phone number that can be called.
        case invalidNumber
        /// The number cannot get the code.
        case undeliverable
        /// There were too many codes or guesses; how long to wait, if it is known.
        case tooManyRequests(retryAfter: Duration?)
        /// The code is wrong.
        case wrongCode
        /// The code is too old; ask for another.
        case expiredCode
        /// The code was used before; ask for another.
        case usedCode
        /// The code was guessed at too often; ask for another.
        case attemptsExhausted
    }

    /// A message that belongs beside one input.
    public struct Field: Hashable, Sendable {
        /// The name of the input as the server knows it, such as `password` or `traits.name.first`.
        ///
        /// Empty if the message is about the input as a whole.
        public var name: String

        /// What to tell the person.
        public var message: String

        /// Creates a message.
        ///
        /// - Parameters:
        ///   - name: The name of the input.
        ///   - message: What to tell the person.
        public init(name: String, message: String) {
            self.name = name
            self.message = message
        }
    }
}
