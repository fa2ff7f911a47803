public import VipasoTypes

/// The calls for business users, whose accounts are created by an operator.
///
/// The names and calls are those of Vipaso's document on login and logout. All can be called from any thread.
public protocol VipasoBusinessProtocol: Sendable {
    /// Logs a business user in, and replaces a user who is logged in.
    ///
    /// A login, or the last step of a sign-up, that is still in progress fails with
    /// ``VipasoTypes/VipasoError/superseded``. If the login fails, the current user remains logged in.
    ///
    /// - Parameters:
    ///   - request: The e-mail address and the password.
    ///   - completion: Called once, on the main actor, after the delegate. An account of another kind fails
    ///     with `login(.wrongUserKind)`.
    func login(
        request: LoginRequest,
        completion: @escaping @MainActor (Result<LoginResponse, VipasoError>) -> Void
    )

    /// Logs out synchronously, without a request to the server.
    ///
    /// After it returns, this device holds no data of the user, except in a keyring that is locked or does
    /// not respond, from which it is erased later. A login in progress fails with
    /// ``VipasoTypes/VipasoError/loggedOut``. The current user is logged out, customer or business user.
    func logout()
}
