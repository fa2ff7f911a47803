/// The response to an accepted code, after which the phone number is verified.
public struct VerifyPhoneNumberResponse: Hashable, Sendable {
    /// The id of the sign-up, which is the same in all of its calls.
    public var flowID: String

    /// Creates a response.
    ///
    /// - Parameter flowID: The id of the sign-up, the same as in the request.
    public init(flowID: String) {
        self.flowID = flowID
    }
}
