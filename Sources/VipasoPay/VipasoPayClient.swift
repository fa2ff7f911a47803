import LatchkeyCompat
public import VipasoTypes

/// A client for apps that were written for the Vipaso Pay SDK, with sign-up, login and authentication state.
///
/// The client provides the names and calls from Vipaso's public document on registering a Pay user. All
/// methods can be called from any thread. Keep one client for the lifetime of the process.
public final class VipasoPayClient: VipasoPayProtocol {
    let adapter: VipasoAdapter<any VipasoPayDelegate>

    /// Creates the client, loads a stored session, and checks that session with the server in the background.
    ///
    /// The login is separate from that of a `VipasoClient` in the same app.
    ///
    /// - Parameter configuration: The server, the app's id, and replacements for platform components such as
    ///   the store. If it contains a store, that store must not be shared with a `VipasoClient`.
    /// - Throws: ``VipasoTypes/VipasoError/configuration(_:)`` for an invalid server URL, app id or language,
    ///   and other errors if a platform component cannot be created.
    public init(configuration: VipasoConfiguration) throws(VipasoError) {
        adapter = try VipasoAdapter(configuration: configuration, part: "pay")
        adapter.relay.onChange { [weak self] delegate, authenticated in
            guard let self else { return }
            delegate.onAuthenticationStateChange(vipaso: self, authenticated: authenticated)
        }
    }

    /// The delegate, which is held weakly and is notified of logins and logouts on the main actor.
    ///
    /// The delegate can be set on any thread. If a user is already logged in, a new delegate is notified of
    /// that.
    public var delegate: (any VipasoPayDelegate)? {
        get { adapter.relay.delegate }
        set { adapter.relay.setDelegate(newValue) { [weak newValue] in newValue } }
    }

    /// The current state: logged in, logged out, or unknown.
    ///
    /// A login in an encrypted file is known when the initializer returns, whereas a keyring is read in the
    /// background. If the state is `unknown`, the delegate is called once the state is known.
    public var authenticationState: VipasoAuthenticationState {
        adapter.authenticationState
    }

    /// Whether a user is known to be logged in.
    ///
    /// The value is also `false` while ``authenticationState`` is `unknown`, for instance because the keyring
    /// is locked.
    public var isAuthenticated: Bool {
        adapter.isAuthenticated
    }

    /// Checks with the server whether the session is still valid, and returns immediately.
    ///
    /// Apps call this method when they enter the foreground. The delegate is called if the server has ended
    /// the session; network errors do not log the user out.
    public func checkAuthentication() {
        adapter.checkSession()
    }

    /// Starts a sign-up and sends a code to a phone number (step 1 of the document on registering a Pay
    /// user).
    ///
    /// - Parameters:
    ///   - request: The phone number.
    ///   - completion: Called once, on the main actor, with the id of the sign-up. If the code could not be
    ///     delivered, the error is `signup(.otp)`.
    public func startSignupFlow(
        request: StartSignupRequest,
        completion: @escaping @MainActor (Result<StartSignupResponse, VipasoError>) -> Void
    ) {
        adapter.startSignup(request, completion: completion)
    }

    /// Verifies the phone number with the code that was sent to it (step 2 of the document on registering a
    /// Pay user).
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

    /// Creates the account and logs its user in (step 3 of the document on registering a Pay user).
    ///
    /// The new user replaces the Pay user who is currently logged in, if any. Accounts with any identity
    /// schema are accepted.
    ///
    /// - Parameters:
    ///   - request: The id of the sign-up, the passcode and the user's data.
    ///   - completion: Called once, on the main actor, after the delegate. If the account was created but the
    ///     login failed, the error is `signup(.accountCreated)`; the user can then log in.
    public func finishSignupFlow(
        request: FinishSignupRequest,
        completion: @escaping @MainActor (Result<FinishSignupResponse, VipasoError>) -> Void
    ) {
        adapter.finishSignup(request, as: nil, completion: completion)
    }

    /// Logs a Pay user in, replacing the Pay user who is currently logged in, if any.
    ///
    /// An earlier login, or the last step of a sign-up, that is still in progress fails with
    /// ``VipasoTypes/VipasoError/superseded``. If the new login fails, the current user remains logged in.
    ///
    /// - Parameters:
    ///   - request: The phone number and the passcode.
    ///   - completion: Called once, on the main actor, after the delegate.
    public func login(
        request: LoginRequest,
        completion: @escaping @MainActor (Result<LoginResponse, VipasoError>) -> Void
    ) {
        adapter.login(request, as: nil, completion: completion)
    }

    /// Logs out synchronously, without a request to the server.
    ///
    /// After the call, this device holds no data about the Pay user, except possibly in a keyring that is
    /// locked or does not respond, from which the data is erased later. A login in progress fails with
    /// ``VipasoTypes/VipasoError/loggedOut``.
    public func logout() {
        adapter.logout()
    }
}
