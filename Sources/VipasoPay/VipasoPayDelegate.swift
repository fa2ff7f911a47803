/// A delegate that is notified of logins and logouts, as in step 4 of the documented Pay registration.
@MainActor
public protocol VipasoPayDelegate: AnyObject {
    /// Called on the main actor once for each change.
    ///
    /// A session that is loaded when the app starts counts as a change, and the delegate receives `true`. If
    /// the app read the state before it was known, the delegate is called as soon as the state is known, even
    /// if the value is `false`. Logouts are reported whether the app requested them or the server ended the
    /// session.
    ///
    /// - Parameters:
    ///   - vipaso: The client whose state changed.
    ///   - authenticated: Whether a user is now logged in.
    func onAuthenticationStateChange(vipaso: any VipasoPayProtocol, authenticated: Bool)
}
