import LatchkeyModel

/// A step in which the user enters a code that was sent to one of their addresses.
///
/// The result depends on why the code was sent: a session after ``CodeSignIn/sendCode(to:)``, the last step of a sign-up
/// after ``SignUp/begin(phone:)``, the account after ``Recovery/sendCode(to:)``, and no value after
/// ``AddressVerification/sendCode(to:)``.
///
/// Store the ``token`` to go on with the step after a restart of the app.
public struct CodeStep<Next: Sendable>: Sendable {
    private let keeper: SessionKeeper
    private let currentToken: @Sendable () -> StepToken
    private let submit: @Sendable (String) async throws(LatchkeyError) -> Next
    private let sendAgain: @Sendable () async throws(LatchkeyError) -> Void

    init(
        keeper: SessionKeeper,
        token: @escaping @Sendable () -> StepToken,
        submit: @escaping @Sendable (String) async throws(LatchkeyError) -> Next,
        sendAgain: @escaping @Sendable () async throws(LatchkeyError) -> Void
    ) {
        self.keeper = keeper
        currentToken = token
        self.submit = submit
        self.sendAgain = sendAgain
    }

    /// The value from which the step can be restored.
    ///
    /// The token changes if the user has to enter another code, for example to log in with an account that exists
    /// already.
    public var token: StepToken { currentToken() }

    /// The address that the code was sent to, or `nil` if the step was restored without it.
    public var address: String? { token.address }

    /// Submits the code.
    ///
    /// A session that is created is stored, and replaces the current one. If the user authenticates again, the current
    /// session is renewed instead.
    ///
    /// - Parameter code: The six-digit code, as typed by the user. Separators are ignored, and the digits can be those
    ///   of any script.
    /// - Returns: The result of the step.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/codeInvalid`` if the entered code is incorrect,
    ///   ``LatchkeyError/Code/codeExpired`` or ``LatchkeyError/Code/flowExpired`` if it was entered too late,
    ///   ``LatchkeyError/Code/anotherCodeSent`` if the user has to enter another code in this step, to log in or to
    ///   prove another address of the sign-up, or ``LatchkeyError/Code/accountCreated`` if the account was created but
    ///   this device could not complete the login. If there is already a session, it isn't changed.
    @discardableResult
    @concurrent public func verify(_ code: String) async throws(LatchkeyError) -> Next {
        do throws(LatchkeyError) {
            return try await submit(code)
        } catch {
            throw keeper.settled(error)
        }
    }

    /// Sends a new code.
    ///
    /// The previous code becomes invalid.
    ///
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/tooManyRequests`` if too many codes were requested,
    ///   or ``LatchkeyError/Code/invalidInput`` if the phone number of a sign-up is missing in the step's token.
    @concurrent public func resend() async throws(LatchkeyError) {
        do throws(LatchkeyError) {
            try await sendAgain()
        } catch {
            throw keeper.settled(error)
        }
    }
}

extension CodeStep: CustomReflectable {
    /// A mirror for printing, in which the address is masked.
    public var customMirror: Mirror {
        Mirror(self, children: ["token": token], displayStyle: .struct)
    }
}
