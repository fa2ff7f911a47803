public import VipasoTypes

/// The door for business users, whose accounts an operator makes.
public protocol VipasoBusinessProtocol: Sendable {
    /// Logs a business user in, in place of whoever was logged in.
    ///
    /// A login or sign-up that is still under way fails with ``VipasoTypes/VipasoError/superseded``.
    ///
    /// - Parameters:
    ///   - request: The e-mail address and the password.
    ///   - completion: Called once, on the main actor.
    func login(
        request: LoginRequest,
        completion: @escaping @MainActor (Result<LoginResponse, VipasoError>) -> Void
    )

    /// Logs out, at once and without a word to the server.
    ///
    /// When it returns, nothing of the user is left on this device. A login that is under way fails. Whoever is
    /// logged in is logged out, whichever door was used.
    func logout()
}
