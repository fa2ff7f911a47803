package import LatchkeyCore

/// The members that compatibility modules need beside the public ones; they do not use the engine itself.
extension LatchkeyClient {
    /// Begins a login attempt, and cancels the previous ones.
    ///
    /// A call that returns before its login has ended begins the attempt itself, so that a sign-out right
    /// after it cancels the login.
    ///
    /// - Returns: The attempt, to be passed to the login.
    package func beginAttempt() -> LoginAttempt {
        engine.keeper.beginAttempt()
    }

    /// Adds an observer of all changes of the session, beginning with the current session if there is one.
    ///
    /// - Parameter observer: Called in the order of the changes, under the lock that orders them; it must only
    ///   record the change and return.
    package func onChange(_ observer: @escaping @Sendable (SessionEvent) -> Void) {
        engine.keeper.observe(observer)
    }
}
