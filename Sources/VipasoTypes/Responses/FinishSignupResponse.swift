/// The answer to the end of a sign-up: the person is logged in.
public struct FinishSignupResponse: Hashable, Sendable {
    /// The id of the sign-up, the same in all its calls.
    public var flowID: String

    /// Creates a response.
    ///
    /// - Parameter flowID: The id of the sign-up.
    public init(flowID: String) {
        self.flowID = flowID
    }
}
