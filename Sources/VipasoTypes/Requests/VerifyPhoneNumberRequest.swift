/// The request that verifies a phone number.
///
/// Textual representations of the request omit the code. The properties correspond to step 2 in Vipaso's
/// documents on customer and Pay sign-up.
public struct VerifyPhoneNumberRequest: Hashable, Sendable {
    /// The id of the sign-up, from ``StartSignupResponse``.
    public var flowID: String

    /// The code that the user has received on the phone.
    public var otp: String

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - flowID: The id of the sign-up, from ``StartSignupResponse``.
    ///   - otp: The code that the user has received on the phone.
    public init(flowID: String, otp: String) {
        self.flowID = flowID
        self.otp = otp
    }
}

extension VerifyPhoneNumberRequest: CustomStringConvertible, CustomReflectable {
    /// The name of the type and the id of the sign-up, without the code.
    public var description: String { "VerifyPhoneNumberRequest(flowID: \(flowID))" }

    /// A mirror without the code.
    public var customMirror: Mirror { Mirror(self, children: ["flowID": flowID]) }
}
