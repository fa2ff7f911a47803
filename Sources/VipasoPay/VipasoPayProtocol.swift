public import VipasoTypes

/// The Pay SDK as an app sees it; an app can put a fake in its place.
public protocol VipasoPayProtocol: AnyObject, Sendable {
    /// The object that is told when somebody logs in or out; held weakly, called on the main actor.
    var delegate: (any VipasoPayDelegate)? { get set }

    /// Whether a user is logged in, or whether that is unknown.
    ///
    /// If the state is `unknown`, the delegate is called when it is known.
    var authenticationState: VipasoAuthenticationState { get }

    /// Whether a user is known to be logged in.
    ///
    /// `false` also while ``authenticationState`` is `unknown`, for instance because the keyring is locked.
    var isAuthenticated: Bool { get }

    /// Asks the server whether the session is still valid; call it when the app comes to the foreground.
    ///
    /// The delegate is called if the server has ended the session. Network errors log no user out.
    func checkAuthentication()

    /// Begins a sign-up: has a code sent to a phone number.
    ///
    /// - Parameters:
    ///   - request: The phone number.
    ///   - completion: Called once, on the main actor.
    func startSignupFlow(
        request: StartSignupRequest,
        completion: @escaping @MainActor (Result<StartSignupResponse, VipasoError>) -> Void
    )

    /// Verifies the phone number with the code that came to it.
    ///
    /// - Parameters:
    ///   - request: The id of the sign-up and the code.
    ///   - completion: Called once, on the main actor.
    func verifyPhoneNumber(
        request: VerifyPhoneNumberRequest,
        completion: @escaping @MainActor (Result<VerifyPhoneNumberResponse, VipasoError>) -> Void
    )

    /// Makes the account and logs in.
    ///
    /// - Parameters:
    ///   - request: The id of the sign-up and what the person entered.
    ///   - completion: Called once, on the main actor.
    func finishSignupFlow(
        request: FinishSignupRequest,
        completion: @escaping @MainActor (Result<FinishSignupResponse, VipasoError>) -> Void
    )

    /// Logs a Pay user in, in place of whoever was logged in.
    ///
    /// A login or sign-up that is still under way fails with ``VipasoTypes/VipasoError/superseded``.
    ///
    /// - Parameters:
    ///   - request: The phone number and the passcode.
    ///   - completion: Called once, on the main actor.
    func login(
        request: LoginRequest,
        completion: @escaping @MainActor (Result<LoginResponse, VipasoError>) -> Void
    )

    /// Logs out, at once and without a word to the server.
    ///
    /// When it returns, nothing of the user is left on this device. A login that is under way fails.
    func logout()
}

extension VipasoPayProtocol {
    /// Whether ``authenticationState`` is `authenticated`.
    public var isAuthenticated: Bool {
        authenticationState == .authenticated
    }
}
