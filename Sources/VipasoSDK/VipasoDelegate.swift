/// An object that is told when somebody logs in or out.
@MainActor
public protocol VipasoDelegate: AnyObject {
    /// Tells the delegate of a change, once for each.
    ///
    /// A session that is on disk when the app starts is a change too: the delegate is told `true`. If the app was
    /// answered that the state is unknown, the delegate is told the state once it is known, also `false`.
    ///
    /// - Parameters:
    ///   - vipaso: The SDK.
    ///   - authenticated: Whether somebody is logged in now.
    func onAuthenticationStateChange(vipaso: any VipasoSDKProtocol, authenticated: Bool)
}
