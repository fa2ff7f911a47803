package import LatchkeyModel
package import LatchkeyWire

extension UIMessage {
    /// What a flow says about itself; the numbers are Kratos's, the words are ours.
    package static let reauthenticate = info(.reauthenticate, .reauthenticate)

    package static let secondFactor = info(.secondFactor, .secondFactor)

    package static let invalidCredentials = error(
        .invalidCredentials,
        .invalidCredentials
    )

    package static let duplicateIdentifier = error(
        .duplicateIdentifier,
        .duplicate
    )

    /// The same, with the ways in which the account's owner logs in.
    package static func duplicate(_ identifier: String, methods: [String]) -> UIMessage {
        error(
            .duplicateWithHints,
            .duplicateWithHints,
            [
                "available_credential_types": .array(methods.map(JSONValue.string)),
                "available_oidc_providers": .array([]),
                "credential_identifier_hint": .string(identifier),
            ]
        )
    }

    /// The refusal of traits that would have to be stored with their flow.
    package static func traitsTooLarge(maximum: Int) -> UIMessage {
        refusal("The fields have more than \(maximum) bytes together.")
    }

    /// The refusal of a right code for an address that its account has not proven.
    package static let addressNotProven = error(.addressNotVerified, .addressNotProven)

    package static let removalNeedsProof = refusal(.removalNeedsProof)

    package static let passwordNeedsProof = refusal(.passwordNeedsProof)

    package static let identityDisabled = error(.identityDisabled, .identityDisabled)

    package static func noStrategy(_ kind: FlowKind) -> UIMessage {
        switch kind {
        case .login: error(.noLoginStrategy, .chooseSignIn)
        case .registration: error(.noRegistrationStrategy, .chooseSignUp)
        case .settings: error(.noSettingsStrategy, .chooseChange)
        case .recovery: error(.noRecoveryStrategy, .chooseRecovery)
        case .verification: error(.noVerificationStrategy, .chooseVerification)
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
        return error(
            id,
            .flowExpired,
            ["expired_at": .string(time.description), "expired_at_unix": .integer(time.seconds)]
        )
    }

    /// A refusal that has no number of its own.
    package static func refusal(_ reason: String) -> UIMessage {
        UIMessage(id: .validation, text: reason, type: .error, context: ["reason": .string(reason)])
    }

    /// The same in words that there are in every language.
    package static func refusal(_ text: FormText) -> UIMessage {
        refusal(text.rawValue)
    }

    static func error(_ id: MessageID, _ text: FormText, _ context: [String: JSONValue]? = nil) -> UIMessage {
        UIMessage(id: id, text: text.rawValue, type: .error, context: context)
    }
}
