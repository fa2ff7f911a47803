public import VipasoTypes

/// The calls for customers.
///
/// The names and signatures come from Vipaso's documentation of customer sign-up, login and logout. All
/// methods can be called from any thread.
public protocol VipasoCustomerProtocol: Sendable {
    /// Starts a sign-up and sends a code to a phone number. This is step 1 of the documented customer
    /// sign-up.
    ///
    /// - Parameters:
    ///   - request: The phone number to verify.
    ///   - completion: Called once, on the main actor, with the id of the sign-up. If the code could not be
    ///     delivered, the error is `signup(.otp)`.
    func startSignupFlow(
        request: StartSignupRequest,
        completion: @escaping @MainActor (Result<StartSignupResponse, VipasoError>) -> Void
    )

    /// Verifies the phone number with the code that was sent to it. This is step 2 of the documented customer
    /// sign-up.
    ///
    /// - Parameters:
    ///   - request: The id of the sign-up and the code.
    ///   - completion: Called once, on the main actor. If the code is wrong, has expired or was already used,
    ///     the error is `signup(.otp)`.
    func verifyPhoneNumber(
        request: VerifyPhoneNumberRequest,
        completion: @escaping @MainActor (Result<VerifyPhoneNumberResponse, VipasoError>) -> Void
    )

    /// Creates the account and logs the user in. This is step 3 of the documented customer sign-up.
    ///
    /// If a user is already logged in, the new login replaces that user's session. The login uses a device
    /// key and, if the server issues them, a client certificate.
    ///
    /// - Parameters:
    ///   - request: The id of the sign-up, the passcode and the user's data.
    ///   - completion: Called once, on the main actor, after the delegate has been notified. If the account
    ///     was created but the login failed, the error is `signup(.accountCreated)`, and the user can log in
    ///     separately.
    func finishSignupFlow(
        request: FinishSignupRequest,
        completion: @escaping @MainActor (Result<FinishSignupResponse, VipasoError>) -> Void
    )

    /// Logs in a customer, replacing any user who is currently logged in.
    ///
    /// An earlier login or last sign-up step that is still in progress fails with
    /// ``VipasoTypes/VipasoError/superseded``. If the new login fails, the current user stays logged in.
    ///
    /// - Parameters:
    ///   - request: The phone number and the passcode.
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
