/// What verifies a phone number; its code is not printed.
public struct VerifyPhoneNumberRequest: Hashable, Sendable {
    /// The id of the sign-up, from ``StartSignupResponse``.
    public var flowID: String

    /// The code that came to the phone.
    public var otp: String

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - flowID: The id of the sign-up, from ``StartSignupResponse``.
    ///   - otp: The code that came to the phone.
    public init(flowID: String, otp: String) {
        self.flowID = flowID
        self.otp = otp
    }
}

extension VerifyPhoneNumberRequest: CustomStringConvertible, CustomReflectable {
    /// The id of the sign-up, without the code.
    public var description: String { "VerifyPhoneNumberRequest(flowID: \(flowID))" }

    /// A mirror without the code.
    public var customMirror: Mirror { Mirror(self, children: ["flowID": flowID]) }
}
