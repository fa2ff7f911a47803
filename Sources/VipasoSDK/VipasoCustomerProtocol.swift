public import VipasoTypes

/// The door for customers.
public protocol VipasoCustomerProtocol: Sendable {
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

    /// Logs a customer in, in place of whoever was logged in.
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
    /// When it returns, nothing of the user is left on this device. A login that is under way fails. Whoever is
    /// logged in is logged out, whichever door was used.
    func logout()
}
