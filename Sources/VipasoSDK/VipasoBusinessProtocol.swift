public import VipasoTypes

/// The calls for business users.
///
/// Business accounts are created by an operator.
///
/// The names and signatures come from Vipaso's documentation of login and logout. All methods can be called
/// from any thread.
public protocol VipasoBusinessProtocol: Sendable {
    /// Logs in a business user, replacing any user who is currently logged in.
    ///
    /// An earlier login or last sign-up step that is still in progress fails with
    /// ``VipasoTypes/VipasoError/superseded``. If the new login fails, the current user stays logged in.
    ///
    /// - Parameters:
    ///   - request: The e-mail address and the password.
    ///   - completion: Called once, on the main actor, after the delegate has been notified. If the account
    ///     is for the other kind of user, the error is `login(.wrongUserKind)`.
    func login(
        request: LoginRequest,
        completion: @escaping @MainActor (Result<LoginResponse, VipasoError>) -> Void
    )

    /// Logs out synchronously, without sending a request to the server.
    ///
    /// When the method returns, the user's data has been deleted from this device, unless the data is in a
    /// keyring that is locked or does not respond. The data in such a keyring is deleted later. A login in
    /// progress fails with ``VipasoTypes/VipasoError/loggedOut``. The method logs out the current user,
    /// whether that is a customer or a business user.
    func logout()
}
