import LatchkeyCompat
public import VipasoTypes

/// A client for apps that were written for the Vipaso Pay SDK.
///
/// The client provides sign-up, login and the authentication state.
///
/// The client uses the names and signatures from Vipaso's public documentation on registering a Pay user. All
/// methods can be called from any thread. Keep one client for the lifetime of the process.
public final class VipasoPayClient: VipasoPayProtocol {
    let adapter: VipasoAdapter<any VipasoPayDelegate>

    /// Creates the client, loads a stored session, and validates it with the server in the background.
    ///
    /// The client's login is separate from that of a `VipasoClient` in the same app.
    ///
    /// - Parameter configuration: The server, the app's id, and replacements for platform components such as
    ///   the session store. A store that is passed here must not be shared with a `VipasoClient`.
    /// - Throws: ``VipasoTypes/VipasoError/configuration(_:)`` if the server URL, app id or language is
    ///   invalid. Other errors are thrown if a platform component cannot be created.
    public init(configuration: VipasoConfiguration) throws(VipasoError) {
        adapter = try VipasoAdapter(configuration: configuration, part: "pay")
        adapter.relay.onChange { [weak self] delegate, authenticated in
            guard let self else { return }
            delegate.onAuthenticationStateChange(vipaso: self, authenticated: authenticated)
        }
    }

    /// The delegate, which is notified of logins and logouts on the main actor.
    ///
    /// The client holds a weak reference to the delegate.
    ///
    /// The delegate can be set on any thread. If a user is already logged in, a new delegate is notified of
    /// that login.
    public var delegate: (any VipasoPayDelegate)? {
        get { adapter.relay.delegate }
        set { adapter.relay.setDelegate(newValue) { [weak newValue] in newValue } }
    }

    /// The current state, which is logged in, logged out, or unknown.
    ///
    /// If the session is stored in an encrypted file, the state is known when the initializer returns. A
    /// keyring is read in the background. If the state is `unknown`, the delegate is called as soon as it is
    /// known.
    public var authenticationState: VipasoAuthenticationState {
        adapter.authenticationState
    }

    /// Whether a user is known to be logged in.
    ///
    /// The value is also `false` while ``authenticationState`` is `unknown`, for example because the keyring
    /// is locked.
    public var isAuthenticated: Bool {
        adapter.isAuthenticated
    }

    /// Validates the session with the server in the background.
    ///
    /// Call this method when the app enters the foreground. The delegate is called if the server has ended
    /// the session. Network errors do not log the user out.
    public func checkAuthentication() {
        adapter.checkSession()
    }

    /// Starts a sign-up and sends a code to a phone number.
    ///
    /// This is step 1 of the documented Pay registration.
    ///
    /// - Parameters:
    ///   - request: The phone number to verify.
    ///   - completion: Called once, on the main actor, with the id of the sign-up. If the code could not be
    ///     delivered, the error is `signup(.otp)`.
    public func startSignupFlow(
        request: StartSignupRequest,
        completion: @escaping @MainActor (Result<StartSignupResponse, VipasoError>) -> Void
    ) {
        adapter.startSignup(request, completion: completion)
    }

    /// Verifies the phone number with the code that was sent to it.
    ///
    /// This is step 2 of the documented Pay registration.
    ///
    /// - Parameters:
    ///   - request: The id of the sign-up and the code.
    ///   - completion: Called once, on the main actor. If the code is wrong, has expired or was already used,
    ///     the error is `signup(.otp)`.
    public func verifyPhoneNumber(
        request: VerifyPhoneNumberRequest,
        completion: @escaping @MainActor (Result<VerifyPhoneNumberResponse, VipasoError>) -> Void
    ) {
        adapter.verifyPhoneNumber(request, completion: completion)
    }

    /// Creates the account and logs the user in.
    ///
    /// This is step 3 of the documented Pay registration.
    ///
    /// Any Pay user who is currently logged in is replaced. Accounts with any identity schema are accepted.
    ///
    /// - Parameters:
    ///   - request: The id of the sign-up, the passcode and the user's data.
    ///   - completion: Called once, on the main actor, after the delegate has been notified. If the account
    ///     was created but the login failed, the error is `signup(.accountCreated)`, and the user can log in
    ///     separately.
    public func finishSignupFlow(
        request: FinishSignupRequest,
        completion: @escaping @MainActor (Result<FinishSignupResponse, VipasoError>) -> Void
    ) {
        adapter.finishSignup(request, as: nil, completion: completion)
    }

    /// Logs in a Pay user, replacing any Pay user who is currently logged in.
    ///
    /// An earlier login or last sign-up step that is still in progress fails with
    /// ``VipasoTypes/VipasoError/superseded``. If the new login fails, the current user stays logged in.
    ///
    /// - Parameters:
    ///   - request: The phone number and the passcode.
    ///   - completion: Called once, on the main actor, after the delegate has been notified.
    public func login(
        request: LoginRequest,
        completion: @escaping @MainActor (Result<LoginResponse, VipasoError>) -> Void
    ) {
        adapter.login(request, as: nil, completion: completion)
    }

    /// Logs out synchronously, without sending a request to the server.
    ///
    /// When the method returns, the Pay user's data has been deleted from this device, unless the data is in
    /// a keyring that is locked or does not respond. The data in such a keyring is deleted later. A login in
    /// progress fails with ``VipasoTypes/VipasoError/loggedOut``.
    public func logout() {
        adapter.logout()
    }
}
