/// The response to a successful login.
public struct LoginResponse: Hashable, Sendable {
    /// The id of the login flow.
    public var flowID: String

    /// Creates a response.
    ///
    /// - Parameter flowID: The id of the login flow.
    public init(flowID: String) {
        self.flowID = flowID
    }
}
