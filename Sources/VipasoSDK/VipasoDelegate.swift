/// A delegate that is notified of logins and logouts, as in step 4 of the documented customer sign-up.
@MainActor
public protocol VipasoDelegate: AnyObject {
    /// Called on the main actor once for each change.
    ///
    /// A session that is loaded when the app starts counts as a change, and the delegate receives `true`. If
    /// the app has read the state while it was unknown, the delegate is called as soon as the state is known,
    /// even if no user is logged in. Logouts are reported whether the app requested them or the server ended
    /// the session.
    ///
    /// - Parameters:
    ///   - vipaso: The client whose state changed.
    ///   - authenticated: Whether a user is now logged in.
    func onAuthenticationStateChange(vipaso: any VipasoSDKProtocol, authenticated: Bool)
}
