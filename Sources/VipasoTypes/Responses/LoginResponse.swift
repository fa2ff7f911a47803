/// The answer to a login.
public struct LoginResponse: Hashable, Sendable {
    /// The id of the login's flow.
    public var flowID: String

    /// Creates a response.
    ///
    /// - Parameter flowID: The id of the login's flow.
    public init(flowID: String) {
        self.flowID = flowID
    }
}
