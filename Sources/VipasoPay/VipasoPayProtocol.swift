public import VipasoTypes

/// The interface of ``VipasoPayClient``, which apps can implement for tests and previews.
///
/// The names and calls are taken from Vipaso's document on registering a Pay user. For login and logout, they
/// are taken from the document for the other SDK.
public protocol VipasoPayProtocol: AnyObject, Sendable {
    /// The delegate, which is held weakly and is notified of logins and logouts on the main actor.
    var delegate: (any VipasoPayDelegate)? { get set }

    /// The current state: logged in, logged out, or unknown.
    ///
    /// If the state is `unknown`, the delegate is called once the state is known.
    var authenticationState: VipasoAuthenticationState { get }

    /// Whether a user is known to be logged in.
    ///
    /// The value is also `false` while ``authenticationState`` is `unknown`, for instance because the keyring
    /// is locked.
    var isAuthenticated: Bool { get }

    /// Checks with the server whether the session is still valid.
    ///
    /// Apps call this method when they enter the foreground. The delegate is called if the server has ended
    /// the session; network errors do not log the user out.
    func checkAuthentication()

    /// Starts a sign-up and sends a code to a phone number (step 1 of the document on registering a Pay
    /// user).
    ///
    /// - Parameters:
    ///   - request: The phone number.
    ///   - completion: Called once, on the main actor, with the id of the sign-up. If the code could not be
    ///     delivered, the error is `signup(.otp)`.
    func startSignupFlow(
        request: StartSignupRequest,
        completion: @escaping @MainActor (Result<StartSignupResponse, VipasoError>) -> Void
    )

    /// Verifies the phone number with the code that was sent to it (step 2 of the document on registering a
    /// Pay user).
    ///
    /// - Parameters:
    ///   - request: The id of the sign-up and the code.
    ///   - completion: Called once, on the main actor. If the code is wrong, has expired or was already used,
    ///     the error is `signup(.otp)`.
    func verifyPhoneNumber(
        request: VerifyPhoneNumberRequest,
        completion: @escaping @MainActor (Result<VerifyPhoneNumberResponse, VipasoError>) -> Void
    )

    /// Creates the account and logs its user in (step 3 of the document on registering a Pay user).
    ///
    /// The new user replaces the Pay user who is currently logged in, if any.
    ///
    /// - Parameters:
    ///   - request: The id of the sign-up, the passcode and the user's data.
    ///   - completion: Called once, on the main actor, after the delegate. If the account was created but the
    ///     login failed, the error is `signup(.accountCreated)`; the user can then log in.
    func finishSignupFlow(
        request: FinishSignupRequest,
        completion: @escaping @MainActor (Result<FinishSignupResponse, VipasoError>) -> Void
    )

    /// Logs a Pay user in, replacing the Pay user who is currently logged in, if any.
    ///
    /// An earlier login, or the last step of a sign-up, that is still in progress fails with
    /// ``VipasoTypes/VipasoError/superseded``. If the new login fails, the current user remains logged in.
    ///
    /// - Parameters:
    ///   - request: The phone number and the passcode.
    ///   - completion: Called once, on the main actor, after the delegate.
    func login(
        request: LoginRequest,
        completion: @escaping @MainActor (Result<LoginResponse, VipasoError>) -> Void
    )

    /// Logs out synchronously, without a request to the server.
    ///
    /// After the call, this device holds no data about the Pay user, except possibly in a keyring that is
    /// locked or does not respond, from which the data is erased later. A login in progress fails with
    /// ``VipasoTypes/VipasoError/loggedOut``.
    func logout()
}

extension VipasoPayProtocol {
    /// Whether ``authenticationState`` is `authenticated`.
    public var isAuthenticated: Bool {
        authenticationState == .authenticated
    }
}
