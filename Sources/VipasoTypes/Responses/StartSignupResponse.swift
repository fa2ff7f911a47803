/// The response that the server returns when a sign-up has been started and the code has been sent.
public struct StartSignupResponse: Hashable, Sendable {
    /// The id of the sign-up.
    ///
    /// The app passes the id to the next steps.
    public var flowID: String

    /// Creates a response.
    ///
    /// - Parameter flowID: The id of the sign-up that the server returned.
    public init(flowID: String) {
        self.flowID = flowID
    }
}
