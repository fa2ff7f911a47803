/// The response to starting a sign-up, which is returned after the code was sent.
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
