public import VipasoTypes

/// The protocol that ``VipasoPayClient`` conforms to.
///
/// Apps can implement this protocol for tests and previews.
///
/// The names and signatures come from Vipaso's documentation on registering a Pay user. The names and
/// signatures for login and logout come from the documentation of VipasoSDK.
public protocol VipasoPayProtocol: AnyObject, Sendable {
    /// The delegate, which is notified of logins and logouts on the main actor.
    ///
    /// The client holds a weak reference to the delegate.
    var delegate: (any VipasoPayDelegate)? { get set }

    /// The current state, which is logged in, logged out, or unknown.
    ///
    /// If the state is `unknown`, the delegate is called as soon as it is known.
    var authenticationState: VipasoAuthenticationState { get }

    /// Whether a user is known to be logged in.
    ///
    /// The value is also `false` while ``authenticationState`` is `unknown`, for example because the keyring
    /// is locked.
    var isAuthenticated: Bool { get }

    /// Validates the session with the server in the background.
    ///
    /// Call this method when the app enters the foreground. The delegate is called if the server has ended
    /// the session. Network errors do not log the user out.
    func checkAuthentication()

    /// Starts a sign-up and sends a code to a phone number. This is step 1 of the documented Pay
    /// registration.
    ///
    /// - Parameters:
    ///   - request: The phone number to verify.
    ///   - completion: Called once, on the main actor, with the id of the sign-up. If the code could not be
    ///     delivered, the error is `signup(.otp)`.
    func startSignupFlow(
        request: StartSignupRequest,
        completion: @escaping @MainActor (Result<StartSignupResponse, VipasoError>) -> Void
    )

    /// Verifies the phone number with the code that was sent to it. This is step 2 of the documented Pay
    /// registration.
    ///
    /// - Parameters:
    ///   - request: The id of the sign-up and the code.
    ///   - completion: Called once, on the main actor. If the code is wrong, has expired or was already used,
    ///     the error is `signup(.otp)`.
    func verifyPhoneNumber(
        request: VerifyPhoneNumberRequest,
        completion: @escaping @MainActor (Result<VerifyPhoneNumberResponse, VipasoError>) -> Void
    )

    /// Creates the account and logs the user in. This is step 3 of the documented Pay registration.
    ///
    /// Any Pay user who is currently logged in is replaced.
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

    /// Logs in a Pay user, replacing any Pay user who is currently logged in.
    ///
    /// An earlier login or last sign-up step that is still in progress fails with
    /// ``VipasoTypes/VipasoError/superseded``. If the new login fails, the current user stays logged in.
    ///
    /// - Parameters:
    ///   - request: The phone number and the passcode.
    ///   - completion: Called once, on the main actor, after the delegate has been notified.
    func login(
        request: LoginRequest,
        completion: @escaping @MainActor (Result<LoginResponse, VipasoError>) -> Void
    )

    /// Logs out synchronously, without sending a request to the server.
    ///
    /// When the method returns, the Pay user's data has been deleted from this device, unless the data is in
    /// a keyring that is locked or does not respond. The data in such a keyring is deleted later. A login in
    /// progress fails with ``VipasoTypes/VipasoError/loggedOut``.
    func logout()
}

extension VipasoPayProtocol {
    /// Whether ``authenticationState`` is `authenticated`.
    public var isAuthenticated: Bool {
        authenticationState == .authenticated
    }
}
