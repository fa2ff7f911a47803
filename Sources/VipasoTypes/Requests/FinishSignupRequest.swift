/// What finishes a sign-up; its password is not printed.
public struct FinishSignupRequest: Hashable, Sendable {
    /// The id of the sign-up, from ``StartSignupResponse``.
    public var flowID: String

    /// The passcode, of six characters or more.
    public var password: String

    /// The person's e-mail address, if the app asked for one.
    public var email: String?

    /// The person's given name.
    public var firstName: String

    /// The person's family name.
    public var lastName: String

    /// The phone number that was verified in this sign-up.
    public var phoneNumber: String

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - flowID: The id of the sign-up, from ``StartSignupResponse``.
    ///   - password: The passcode, of six characters or more.
    ///   - email: The person's e-mail address, if the app asked for one.
    ///   - firstName: The person's given name.
    ///   - lastName: The person's family name.
    ///   - phoneNumber: The phone number that was verified in this sign-up.
    public init(
        flowID: String,
        password: String,
        email: String?,
        firstName: String,
        lastName: String,
        phoneNumber: String
    ) {
        self.flowID = flowID
        self.password = password
        self.email = email
        self.firstName = firstName
        self.lastName = lastName
        self.phoneNumber = phoneNumber
    }
}

extension FinishSignupRequest: CustomStringConvertible, CustomReflectable {
    /// The id of the sign-up alone.
    public var description: String { "FinishSignupRequest(flowID: \(flowID))" }

    /// A mirror of the id of the sign-up alone.
    public var customMirror: Mirror { Mirror(self, children: ["flowID": flowID]) }
}
