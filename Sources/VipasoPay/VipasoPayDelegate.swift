/// A delegate that is notified of logins and logouts (step 4 of Vipaso's document on registering a Pay user).
@MainActor
public protocol VipasoPayDelegate: AnyObject {
    /// Called on the main actor once for each change.
    ///
    /// A stored session counts as a change when the app starts: the delegate receives `true`. After the app
    /// has read an unknown state, the delegate receives the state once it is known, also `false`. A logout is
    /// reported whether the app requested it or the server ended the session.
    ///
    /// - Parameters:
    ///   - vipaso: The client whose state changed.
    ///   - authenticated: Whether a user is logged in now.
    func onAuthenticationStateChange(vipaso: any VipasoPayProtocol, authenticated: Bool)
}
