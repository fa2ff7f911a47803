/// What begins a sign-up.
public struct StartSignupRequest: Hashable, Sendable {
    /// The phone number with its country code.
    public var phoneNumber: String

    /// Creates a request.
    ///
    /// - Parameter phoneNumber: The phone number with its country code; spaces, dashes and brackets do not matter.
    public init(phoneNumber: String) {
        self.phoneNumber = phoneNumber
    }
}
