package import LatchkeyCore

/// These members are for the compatibility modules.
///
/// With them, those modules don't need to access the engine directly.
extension LatchkeyClient {
    /// Starts a login attempt and cancels any previous attempts.
    ///
    /// A function that starts a login but returns before the login has completed must call this method first.
    /// If the user signs out immediately afterwards, the login is then cancelled.
    ///
    /// - Parameter persistence: Where the session is stored.
    /// - Returns: The attempt. Pass it to the login.
    package func beginAttempt(persistence: Persistence = .device) -> LoginAttempt {
        engine.keeper.beginAttempt(persistence: persistence)
    }

    /// Adds an observer for all session changes.
    ///
    /// If there is a session, the observer is called with it first.
    ///
    /// - Parameter observer: Called for each change, in order, while a lock is held. The closure must only
    ///   record the change and return.
    package func onChange(_ observer: @escaping @Sendable (SessionEvent) -> Void) {
        engine.keeper.observe(observer)
    }
}
