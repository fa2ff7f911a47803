/// The request that completes a sign-up.
///
/// Textual representations of the request omit the password and personal data. The properties correspond to
/// step 3 in Vipaso's documentation of customer and Pay sign-up.
public struct FinishSignupRequest: Hashable, Sendable {
    /// The sign-up's id, taken from ``StartSignupResponse``.
    public var flowID: String

    /// The new password or passcode.
    ///
    /// The password or passcode must be at least six characters long.
    public var password: String

    /// The user's e-mail address, or `nil` if the app did not ask for one.
    ///
    /// Blank text is treated as `nil`.
    public var email: String?

    /// The user's given name.
    public var firstName: String

    /// The user's family name.
    public var lastName: String

    /// The phone number that was verified in this sign-up, including the country code.
    public var phoneNumber: String

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - flowID: The sign-up's id, taken from ``StartSignupResponse``.
    ///   - password: The new password or passcode. The password or passcode must be at least six characters
    ///     long.
    ///   - email: The user's e-mail address, or `nil` or blank text if the app did not ask for one.
    ///   - firstName: The user's given name.
    ///   - lastName: The user's family name.
    ///   - phoneNumber: The phone number that was verified in this sign-up, including the country code.
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
    /// A description that contains the type's name and the id of the sign-up, but no other properties.
    public var description: String { "FinishSignupRequest(flowID: \(flowID))" }

    /// A mirror whose only child is the id of the sign-up.
    public var customMirror: Mirror { Mirror(self, children: ["flowID": flowID]) }
}
