public import VipasoTypes

/// The calls for customers.
///
/// The names and calls are taken from Vipaso's documents on customer sign-up and on login and logout. All
/// methods can be called from any thread.
public protocol VipasoCustomerProtocol: Sendable {
    /// Starts a sign-up and sends a code to a phone number (step 1 of the document on customer sign-up).
    ///
    /// - Parameters:
    ///   - request: The phone number.
    ///   - completion: Called once, on the main actor, with the id of the sign-up. If the code could not be
    ///     delivered, the error is `signup(.otp)`.
    func startSignupFlow(
        request: StartSignupRequest,
        completion: @escaping @MainActor (Result<StartSignupResponse, VipasoError>) -> Void
    )

    /// Verifies the phone number with the code that was sent to it (step 2 of the document on customer
    /// sign-up).
    ///
    /// - Parameters:
    ///   - request: The id of the sign-up and the code.
    ///   - completion: Called once, on the main actor. If the code is wrong, has expired or was already used,
    ///     the error is `signup(.otp)`.
    func verifyPhoneNumber(
        request: VerifyPhoneNumberRequest,
        completion: @escaping @MainActor (Result<VerifyPhoneNumberResponse, VipasoError>) -> Void
    )

    /// Creates the account and logs its user in (step 3 of the document on customer sign-up).
    ///
    /// The new user replaces the user who is currently logged in, if any. The login includes a device key
    /// and, where the server issues them, a client certificate.
    ///
    /// - Parameters:
    ///   - request: The id of the sign-up, the passcode and the user's data.
    ///   - completion: Called once, on the main actor, after the delegate. If the account was created but the
    ///     login failed, the error is `signup(.accountCreated)`; the user can then log in.
    func finishSignupFlow(
        request: FinishSignupRequest,
        completion: @escaping @MainActor (Result<FinishSignupResponse, VipasoError>) -> Void
    )

    /// Logs a customer in, replacing the user who is currently logged in, if any.
    ///
    /// An earlier login, or the last step of a sign-up, that is still in progress fails with
    /// ``VipasoTypes/VipasoError/superseded``. If the new login fails, the current user remains logged in.
    ///
    /// - Parameters:
    ///   - request: The phone number and the passcode.
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
