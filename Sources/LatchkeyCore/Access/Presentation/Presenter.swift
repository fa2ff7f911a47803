/// The part of an app that presents logins; a client holds it weakly.
@MainActor public protocol Presenter: AnyObject {
    /// Presents a login, and returns when the presentation has ended and is no longer visible.
    ///
    /// Called for one login at a time, however many actions wait for it; the next call follows after this
    /// one has returned. If the method returns before the presentation has ended, the user has dismissed it.
    ///
    /// The calling task is cancelled when the presentation ends: after a login in this or another process,
    /// a dismissal or a sign-out, or when no action waits for it any more.
    ///
    /// - Parameter login: The login, with its screens and the operations on them.
    func present(_ login: LoginPresentation) async
}
