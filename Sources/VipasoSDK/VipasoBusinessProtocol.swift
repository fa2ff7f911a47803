public import VipasoTypes

/// The calls for business users, whose accounts an operator creates.
///
/// The names and calls are taken from Vipaso's document on login and logout. All methods can be called from
/// any thread.
public protocol VipasoBusinessProtocol: Sendable {
    /// Logs a business user in, replacing the user who is currently logged in, if any.
    ///
    /// An earlier login, or the last step of a sign-up, that is still in progress fails with
    /// ``VipasoTypes/VipasoError/superseded``. If the new login fails, the current user remains logged in.
    ///
    /// - Parameters:
    ///   - request: The e-mail address and the password.
    ///   - completion: Called once, on the main actor, after the delegate. If the account belongs to the
    ///     other kind of user, the error is `login(.wrongUserKind)`.
    func login(
        request: LoginRequest,
        completion: @escaping @MainActor (Result<LoginResponse, VipasoError>) -> Void
    )

    /// Logs out synchronously, without a request to the server.
    ///
    /// After the call, this device holds no data about the user, except possibly in a keyring that is locked
    /// or does not respond, from which the data is erased later. A login in progress fails with
    /// ``VipasoTypes/VipasoError/loggedOut``. The call logs out the current user, whether customer or
    /// business user.
    func logout()
}
