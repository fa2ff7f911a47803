/// A type that presents logins to the user, such as a view controller.
///
/// A client holds its presenter weakly.
@MainActor public protocol Presenter: AnyObject {
    /// Presents a login, and returns after the presentation has ended and is no longer visible.
    ///
    /// This method is called for one login at a time, even if several actions are waiting for it. The method
    /// isn't called again before it has returned. If this method returns before the presentation has ended,
    /// the login is dismissed.
    ///
    /// The task that calls this method is cancelled when the presentation ends. This happens when a user logs
    /// in (in this process or another one), when the login is dismissed, when the user signs out, or when no
    /// action is waiting for the login anymore.
    ///
    /// - Parameter login: The login to present, with its screens and the operations that the user can
    ///   perform.
    func present(_ login: LoginPresentation) async
}
