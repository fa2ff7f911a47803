/// The response to a correct code.
///
/// The phone number has been verified.
public struct VerifyPhoneNumberResponse: Hashable, Sendable {
    /// The id of the sign-up.
    ///
    /// The id is the same in every step.
    public var flowID: String

    /// Creates a response.
    ///
    /// - Parameter flowID: The id of the sign-up that was passed in the request.
    public init(flowID: String) {
        self.flowID = flowID
    }
}
