public import VipasoTypes

/// The Pay SDK: signs people up, logs them in, keeps them logged in, and tells its delegate.
public final class VipasoPayClient: VipasoPayProtocol {
    private let door: VipasoDoor<any VipasoPayDelegate>

    /// Creates the SDK; a session that is on disk is taken up, and checked with the server.
    ///
    /// Its login is a matter of its own, beside one of VipasoSDK in the same app.
    ///
    /// - Parameter configuration: Where the server is, and what to work with.
    /// - Throws: ``VipasoTypes/VipasoError`` when the configuration cannot be right.
    public init(configuration: VipasoConfiguration) throws(VipasoError) {
        door = try VipasoDoor(configuration: configuration, part: "pay")
        door.relay.whenChanged { [weak self] delegate, authenticated in
            guard let self else { return }
            delegate.onAuthenticationStateChange(vipaso: self, authenticated: authenticated)
        }
    }

    /// The object that is told when somebody logs in or out; held weakly, called on the main actor.
    ///
    /// It can be set anywhere. When somebody is logged in already, it is told so.
    public var delegate: (any VipasoPayDelegate)? {
        get { door.relay.delegate }
        set { door.relay.setDelegate(newValue) { [weak newValue] in newValue } }
    }

    /// Whether a user is logged in, or whether that is unknown.
    ///
    /// A login in an encrypted file is known when the initializer returns; a keyring is read in the background. If the
    /// state is `unknown`, the delegate is called when it is known.
    public var authenticationState: VipasoAuthenticationState {
        door.authenticationState
    }

    /// Whether a user is known to be logged in.
    ///
    /// `false` also while ``authenticationState`` is `unknown`, for instance because the keyring is locked.
    public var isAuthenticated: Bool {
        door.isAuthenticated
    }

    /// Asks the server whether the session is still valid; call it when the app comes to the foreground.
    ///
    /// The delegate is called if the server has ended the session. Network errors log no user out.
    public func checkAuthentication() {
        door.checkSession()
    }

    /// Begins a sign-up: has a code sent to a phone number.
    ///
    /// - Parameters:
    ///   - request: The phone number.
    ///   - completion: Called once, on the main actor.
    public func startSignupFlow(
        request: StartSignupRequest,
        completion: @escaping @MainActor (Result<StartSignupResponse, VipasoError>) -> Void
    ) {
        door.startSignup(request, completion: completion)
    }

    /// Verifies the phone number with the code that came to it.
    ///
    /// - Parameters:
    ///   - request: The id of the sign-up and the code.
    ///   - completion: Called once, on the main actor.
    public func verifyPhoneNumber(
        request: VerifyPhoneNumberRequest,
        completion: @escaping @MainActor (Result<VerifyPhoneNumberResponse, VipasoError>) -> Void
    ) {
        door.verifyPhoneNumber(request, completion: completion)
    }

    /// Makes the account and logs in.
    ///
    /// - Parameters:
    ///   - request: The id of the sign-up and what the person entered.
    ///   - completion: Called once, on the main actor.
    public func finishSignupFlow(
        request: FinishSignupRequest,
        completion: @escaping @MainActor (Result<FinishSignupResponse, VipasoError>) -> Void
    ) {
        door.finishSignup(request, as: nil, completion: completion)
    }

    /// Logs a Pay user in, in place of whoever was logged in.
    ///
    /// A login or sign-up that is still under way fails with ``VipasoTypes/VipasoError/superseded``.
    ///
    /// - Parameters:
    ///   - request: The phone number and the passcode.
    ///   - completion: Called once, on the main actor.
    public func login(
        request: LoginRequest,
        completion: @escaping @MainActor (Result<LoginResponse, VipasoError>) -> Void
    ) {
        door.login(request, as: nil, completion: completion)
    }

    /// Logs out, at once and without a word to the server.
    ///
    /// When it returns, nothing of the user is left on this device. A login that is under way fails.
    public func logout() {
        door.logout()
    }
}
