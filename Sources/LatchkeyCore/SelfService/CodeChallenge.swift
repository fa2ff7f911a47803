import LatchkeyModel
import LatchkeyWire

/// A code that was sent to an address of the user; entering it logs in, signs up or re-authenticates.
public struct CodeChallenge: Sendable {
    private let step: CodeStep

    /// The address that the code was sent to; `nil` in a step that was recreated without it.
    public let address: String?

    /// Whether a sign-up for an existing account continues as a login.
    private let contact: ContactAddress?

    init(_ step: CodeStep, address: ContactAddress?, logsExistingUsersIn: Bool = false) {
        self.step = step
        self.address = address?.value
        contact = logsExistingUsersIn ? address : nil
    }

    /// The id of the flow, with which the step can be recreated; it changes when the login of an existing user
    /// requires another code.
    public var flow: String { step.flow }

    /// The kind of the flow, with which the step can be recreated.
    public var kind: Flow.Kind { step.kind }

    /// Submits the code, and stores the session that it opens.
    ///
    /// The new session replaces an existing one; a re-authentication renews it. If a sign-up created the account
    /// but this device could not complete the login, the error is ``LatchkeyError/Code/accountCreated``.
    ///
    /// - Parameter code: The six digits; spaces and dashes are ignored.
    /// - Returns: The session.
    /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/codeInvalid`` for a code that is wrong or has
    ///   expired, ``LatchkeyError/Code/anotherCodeSent`` if a login requires another code, or
    ///   ``LatchkeyError/Code/flowExpired``; an existing session is unchanged.
    @discardableResult
    @concurrent public func verify(_ code: String) async throws(LatchkeyError) -> UserSession {
        try await step.engine.settled { engine async throws(LatchkeyError) -> UserSession in
            let outcome = try await step.submit(code)
            guard let contact, case .continues(let form, _) = outcome, form.isForExistingAccount else {
                return try outcome.session()
            }
            // The correct code has proved that the user controls the address.
            step.proceed(with: try await engine.sendLoginCode(to: contact, in: engine.begin(.login)))
            throw LatchkeyError(
                .anotherCodeSent,
                message: "There is already an account with this address. Another code was sent to log in."
            )
        }
    }

    /// Sends another code, which invalidates the previous one.
    ///
    /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/tooManyRequests``.
    @concurrent public func resend() async throws(LatchkeyError) {
        try await step.engine.settled { _ async throws(LatchkeyError) -> Void in
            try await step.resend()
        }
    }
}

extension Flow {
    /// Whether a registration was rejected because an account with the address exists.
    var isForExistingAccount: Bool {
        kind == .registration
            && messages.contains {
                [.duplicateIdentifier, .duplicateWithHints].contains(MessageID(rawValue: $0.id))
            }
    }
}
