import LatchkeyModel
import LatchkeyWire

/// A code was sent to the user.
///
/// Entering the code logs the user in, signs them up or authenticates them again.
public struct CodeChallenge: Sendable {
    private let step: CodeStep

    /// The address that the code was sent to, or `nil` if the step was restored without it.
    public let address: String?

    /// The address to log in with if the account already exists, or `nil` if existing users must not be
    /// logged in.
    private let contact: ContactAddress?

    init(_ step: CodeStep, address: ContactAddress?, logsExistingUsersIn: Bool = false) {
        self.step = step
        self.address = address?.value
        contact = logsExistingUsersIn ? address : nil
    }

    /// The flow's id.
    ///
    /// Use this value to restore the step later. The id changes if an existing user has to enter another code
    /// to log in.
    public var flow: String { step.flow }

    /// The flow's kind.
    ///
    /// Use this value to restore the step later.
    public var kind: Flow.Kind { step.kind }

    /// Submits the code and stores the new session.
    ///
    /// The new session replaces the current one. If the user authenticates again, the current session is
    /// renewed instead. If the account was created but this device could not complete the login, the error is
    /// ``LatchkeyError/Code/accountCreated``.
    ///
    /// - Parameter code: The six-digit code, as typed by the user. Separators are ignored, and the digits can
    ///   be those of any script.
    /// - Returns: The user's session.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/codeInvalid`` if the entered code is
    ///   incorrect or has expired, ``LatchkeyError/Code/anotherCodeSent`` if the user has to enter another
    ///   code, to log in or to prove another address of the sign-up, or ``LatchkeyError/Code/flowExpired`` if
    ///   the flow has expired. If there is already a session, it isn't changed.
    @discardableResult
    @concurrent public func verify(_ code: String) async throws(LatchkeyError) -> UserSession {
        try await step.engine.settled { engine async throws(LatchkeyError) -> UserSession in
            let outcome = try await step.submit(code)
            if case .continues(let form, _) = outcome, let request = form.proofRequest,
                request.severity == .info
            {
                step.proceed(with: form)
                throw LatchkeyError(.anotherCodeSent, message: request.text)
            }
            guard let contact, case .continues(let form, _) = outcome, form.isForExistingAccount else {
                return try outcome.session()
            }
            // We can continue with a login, because entering the correct code proved that the user controls
            // the address.
            step.proceed(with: try await engine.sendLoginCode(to: contact, in: engine.begin(.login)))
            throw LatchkeyError(
                .anotherCodeSent,
                message: "An account with this address already exists. Another code was sent for logging in."
            )
        }
    }

    /// Sends a new code.
    ///
    /// The previous code becomes invalid.
    ///
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/tooManyRequests`` if too many codes were
    ///   requested.
    @concurrent public func resend() async throws(LatchkeyError) {
        try await step.engine.settled { _ async throws(LatchkeyError) -> Void in
            try await step.resend()
        }
    }
}

extension Flow {
    /// The message about the code that proves an address which another account claims, or `nil` if the form
    /// doesn't ask for such a code.
    var proofRequest: FlowMessage? {
        guard kind == .registration else { return nil }
        return nodes.first { $0.input?.name == "code" }?.messages.first
    }

    /// Whether a registration was rejected because an account with this address already exists.
    ///
    /// If the account only claims the address, the user can go on with a code (``proofRequest``).
    var isForExistingAccount: Bool {
        kind == .registration && proofRequest == nil
            && messages.contains {
                [.duplicateIdentifier, .duplicateWithHints].contains(MessageID(rawValue: $0.id))
            }
    }
}

extension CodeChallenge: CustomReflectable {
    /// A mirror for printing, in which the address is masked.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["flow": flow, "address": address.map { Masked($0) } as Any],
            displayStyle: .struct
        )
    }
}
