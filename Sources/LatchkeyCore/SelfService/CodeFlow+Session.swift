import LatchkeyModel
import LatchkeyWire

extension CodeFlow {
    /// Returns the step in which the code logs the user in, signs them up or authenticates them again.
    ///
    /// - Parameter contact: The address to log in with if the account already exists, or `nil` if existing users must
    ///   not be logged in.
    /// - Returns: The step.
    func sessionStep(loggingIn contact: ContactAddress? = nil) -> CodeStep<UserSession> {
        step { outcome, codes throws(LatchkeyError) in
            if case .continues(let form, _) = outcome, let request = form.proofRequest,
                request.severity == .info
            {
                codes.proceed(with: form)
                throw LatchkeyError(.anotherCodeSent, message: request.text)
            }
            guard let contact, case .continues(let form, _) = outcome, form.isForExistingAccount else {
                return try outcome.session()
            }
            // We can continue with a login, because entering the correct code proved that the user controls
            // the address.
            let engine = codes.engine
            codes.proceed(with: try await engine.sendLoginCode(to: contact, in: engine.begin(.login)))
            throw LatchkeyError(
                .anotherCodeSent,
                message: "An account with this address already exists. Another code was sent for logging in."
            )
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
