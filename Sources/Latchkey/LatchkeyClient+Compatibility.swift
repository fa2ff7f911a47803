package import LatchkeyCore

/// Members that the compatibility modules use instead of accessing the engine directly.
extension LatchkeyClient {
    /// Starts a login attempt and cancels any previous attempts.
    ///
    /// A function that starts a login but returns before the login has completed must call this method first.
    /// This ensures that the login is cancelled if the user signs out right after the function returns.
    ///
    /// - Parameter persistence: Where the session is stored.
    /// - Returns: The attempt, which must be passed to the login.
    package func beginAttempt(persistence: Persistence = .device) -> LoginAttempt {
        engine.keeper.beginAttempt(persistence: persistence)
    }

    /// Returns the start of an action that begins now, so that a later sign-out ends it.
    package func actionStart() -> ActionStart { engine.access.actionStart() }

    /// Adds an observer for all session changes.
    ///
    /// If there is a session, the observer is called with it first.
    ///
    /// - Parameter observer: Called for each change, in order, while a lock is held. The closure must only
    ///   record the change and return.
    /// - Returns: The token that keeps the observer registered, even after this client was released, if
    ///   another client shares the session.
    package func onChange(_ observer: @escaping @Sendable (SessionEvent) -> Void) -> ObserverToken {
        engine.keeper.observe(observer)
    }
}
