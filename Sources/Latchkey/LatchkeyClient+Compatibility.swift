package import LatchkeyCore

/// The members that the compatibility modules need in addition to the public ones, so they do not use the
/// engine directly.
extension LatchkeyClient {
    /// Begins a login attempt, and cancels the previous ones.
    ///
    /// A function that starts a login and returns before the login has ended calls this method first, so that
    /// a sign-out right afterwards cancels the login.
    ///
    /// - Parameter persistence: Where the session of the login is stored.
    /// - Returns: The attempt, which the caller passes to the login.
    package func beginAttempt(persistence: Persistence = .device) -> LoginAttempt {
        engine.keeper.beginAttempt(persistence: persistence)
    }

    /// Adds an observer of all session changes, beginning with the current session if there is one.
    ///
    /// - Parameter observer: Called for the changes in order, under the lock that orders them; it must only
    ///   record the change and return.
    package func onChange(_ observer: @escaping @Sendable (SessionEvent) -> Void) {
        engine.keeper.observe(observer)
    }
}
