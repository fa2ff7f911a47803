/// A delegate that is notified of logins and logouts (step 4 of Vipaso's document on customer sign-up).
@MainActor
public protocol VipasoDelegate: AnyObject {
    /// Called on the main actor once for each change.
    ///
    /// When the app starts, a stored session counts as a change, for which the delegate receives `true`.
    /// After the app has read the state while it was unknown, the delegate receives the state once it is
    /// known, even if it is `false`. A logout is reported regardless of whether the app requested it or the
    /// server ended the session.
    ///
    /// - Parameters:
    ///   - vipaso: The client whose state changed.
    ///   - authenticated: Whether a user is logged in now.
    func onAuthenticationStateChange(vipaso: any VipasoSDKProtocol, authenticated: Bool)
}
