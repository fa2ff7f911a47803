/// A step of the model of logins in a browser.
package enum BrowserLoginStep: Hashable, Sendable {
    /// A process opens the page of a login.
    case begin(process: Int, login: Int)
    /// A process hands a login over to another app, in place of those that wait at the same redirect URI.
    case handOff(process: Int, login: Int)
    /// The user logs in on the page, or approves the request in the other app, so that there is a redirect.
    case answer(login: Int)
    /// The user refuses the request in the other app, so that there is a redirect.
    case refuse(login: Int)
    /// The user dismisses the login that a process has handed over.
    case dismiss(process: Int)
    /// The server receives the withdrawal of a request.
    case withdraw(login: Int)
    /// The time for a login ends.
    case expire(login: Int)
    /// A redirect opens a process, possibly not for the first time.
    case deliver(process: Int, login: Int)
    /// A process performs its next action.
    case proceed(process: Int)
    /// The server performs the request of a process, but the response is lost.
    case lose(process: Int)
    /// A process looks for interrupted logins, after its start or after a pause.
    case settle(process: Int)
    /// The revocation of a login is sent.
    case revoke(login: Int)
    /// The user logs in without a browser.
    case logInOtherwise(process: Int)
    case signOut(process: Int)
    case crash(process: Int)
    case restart(process: Int)
}
