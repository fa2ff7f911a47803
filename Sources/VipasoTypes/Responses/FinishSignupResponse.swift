/// The response to a completed sign-up.
///
/// The account exists, and the user is logged in.
public struct FinishSignupResponse: Hashable, Sendable {
    /// The id of the sign-up.
    ///
    /// All steps of a sign-up have the same id.
    public var flowID: String

    /// Creates a response.
    ///
    /// - Parameter flowID: The id of the sign-up that was passed in the request.
    public init(flowID: String) {
        self.flowID = flowID
    }
}
