package import LatchkeyModel
package import LatchkeyWire

extension UIMessage {
    /// What a flow says about itself; the numbers are Kratos's, the words are ours.
    package static let reauthenticate = UIMessage(
        id: .reauthenticate,
        text: "Please show once more that it is you.",
        type: .info
    )

    package static let secondFactor = UIMessage(
        id: .secondFactor,
        text: "Please sign in with your second factor.",
        type: .info
    )

    package static let invalidCredentials = error(
        .invalidCredentials,
        "This does not match any account. Check what you typed, the password too."
    )

    package static let duplicateIdentifier = error(
        .duplicateIdentifier,
        "There is an account with this e-mail address or phone number already."
    )

    /// The same, with the ways in which the account's owner logs in.
    package static func duplicate(_ identifier: String, methods: [String]) -> UIMessage {
        error(
            .duplicateWithHints,
            "There is an account with \(identifier) already. Sign in to it instead.",
            [
                "available_credential_types": .array(methods.map(JSONValue.string)),
                "available_oidc_providers": .array([]),
                "credential_identifier_hint": .string(identifier),
            ]
        )
    }

    package static let identityDisabled = error(.identityDisabled, "This account has been disabled.")

    package static func noStrategy(_ kind: FlowKind) -> UIMessage {
        switch kind {
        case .login: error(.noLoginStrategy, "Choose a way to sign in and fill in its fields.")
        case .registration: error(.noRegistrationStrategy, "Choose a way to sign up and fill in its fields.")
        case .settings: error(.noSettingsStrategy, "Choose what to change and fill in its fields.")
        case .recovery: error(.noRecoveryStrategy, "Choose a way to get back in and fill in its fields.")
        case .verification: error(.noVerificationStrategy, "Choose a way to confirm and fill in its fields.")
        }
    }

    package static func flowExpired(_ kind: FlowKind, at time: Timestamp) -> UIMessage {
        let id: MessageID =
            switch kind {
            case .login: .loginExpired
            case .registration: .registrationExpired
            case .settings: .settingsExpired
            case .recovery: .recoveryExpired
            case .verification: .verificationExpired
            }
        return UIMessage(
            id: id,
            text: "That took too long or was done already; please begin again here.",
            type: .error,
            context: ["expired_at": .string(time.description), "expired_at_unix": .integer(time.seconds)]
        )
    }

    /// A refusal that has no number of its own.
    package static func refusal(_ reason: String) -> UIMessage {
        error(.validation, reason, ["reason": .string(reason)])
    }

    static func error(_ id: MessageID, _ text: String, _ context: [String: JSONValue]? = nil) -> UIMessage {
        UIMessage(id: id, text: text, type: .error, context: context)
    }
}
