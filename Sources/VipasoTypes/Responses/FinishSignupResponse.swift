/// The response to a completed sign-up, whose account was created and whose user is logged in.
public struct FinishSignupResponse: Hashable, Sendable {
    /// The id of the sign-up, which is the same in all of its calls.
    public var flowID: String

    /// Creates a response.
    ///
    /// - Parameter flowID: The id of the sign-up, the same as in the request.
    public init(flowID: String) {
        self.flowID = flowID
    }
}
