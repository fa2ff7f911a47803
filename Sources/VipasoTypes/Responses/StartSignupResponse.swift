/// The answer to the beginning of a sign-up: a code is on its way.
public struct StartSignupResponse: Hashable, Sendable {
    /// The id of the sign-up, the same in all its calls.
    public var flowID: String

    /// Creates a response.
    ///
    /// - Parameter flowID: The id of the sign-up.
    public init(flowID: String) {
        self.flowID = flowID
    }
}
