/// The response to the start of a sign-up, after the code was sent.
public struct StartSignupResponse: Hashable, Sendable {
    /// The id of the sign-up, which the app passes to its next calls.
    public var flowID: String

    /// Creates a response.
    ///
    /// - Parameter flowID: The id of the sign-up, from the server.
    public init(flowID: String) {
        self.flowID = flowID
    }
}
