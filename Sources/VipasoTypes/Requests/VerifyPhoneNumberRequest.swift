/// The request that verifies a phone number.
///
/// Textual representations of the request omit the code. The properties correspond to step 2 in Vipaso's
/// documentation of customer and Pay sign-up.
public struct VerifyPhoneNumberRequest: Hashable, Sendable {
    /// The sign-up's id, taken from ``StartSignupResponse``.
    public var flowID: String

    /// The code that was sent to the user's phone.
    public var otp: String

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - flowID: The sign-up's id, taken from ``StartSignupResponse``.
    ///   - otp: The code that was sent to the user's phone.
    public init(flowID: String, otp: String) {
        self.flowID = flowID
        self.otp = otp
    }
}

extension VerifyPhoneNumberRequest: CustomStringConvertible, CustomReflectable {
    /// A description that contains the type's name and the id of the sign-up, but not the code.
    public var description: String { "VerifyPhoneNumberRequest(flowID: \(flowID))" }

    /// A mirror without the code.
    public var customMirror: Mirror { Mirror(self, children: ["flowID": flowID]) }
}
