package import LatchkeyModel
package import LatchkeyWire

/// Messages about flows and refusals; their ids are those of Kratos, their texts those of this server.
extension UIMessage {
    /// Asks a user who is logged in to authenticate again.
    package static let reauthenticate = info(.reauthenticate, text: .reauthenticate)

    /// Asks for a second factor, which no method of this server provides yet.
    package static let secondFactor = info(.secondFactor, text: .secondFactor)

    /// The refusal of a login; it does not reveal whether the account exists.
    package static let invalidCredentials = error(
        .invalidCredentials,
        text: .invalidCredentials
    )

    /// The refusal of an identifier or an address of another account.
    package static let duplicateIdentifier = error(
        .duplicateIdentifier,
        text: .duplicate
    )

    /// Returns the refusal of a duplicate identifier, with the login methods of its account.
    ///
    /// The context lists them in `available_credential_types`: `password`, `code`, both or none. There are no
    /// OIDC providers, so their list is empty.
    package static func duplicate(_ identifier: String, methods: [String]) -> UIMessage {
        error(
            .duplicateWithHints,
            text: .duplicateWithHints,
            context: [
                "available_credential_types": .array(methods.map(JSONValue.string)),
                "available_oidc_providers": .array([]),
                "credential_identifier_hint": .string(identifier),
            ]
        )
    }

    /// Returns the refusal of traits that are too large to be stored with their flow; `maximum` is in bytes.
    package static func traitsTooLarge(maximum: Int) -> UIMessage {
        refusal("The fields are longer than \(maximum) bytes in total.")
    }

    /// The refusal of a correct code for an address that its account has not proven.
    package static let addressNotProven = error(.addressNotVerified, text: .addressNotProven)

    /// The refusal to remove an address in a session that has proven neither the password nor the address.
    package static let removalNeedsProof = refusal(.removalNeedsProof)

    /// The refusal of a new password in a session that proved neither the old one nor two addresses.
    ///
    /// A session that was opened by a recovery may set one without either.
    package static let passwordNeedsProof = refusal(.passwordNeedsProof)

    /// The refusal of a login to an account that the operator has disabled, shown after a right credential
    /// only.
    package static let identityDisabled = error(.identityDisabled, text: .identityDisabled)

    /// Returns the refusal of a submission without a method that the flow knows.
    package static func noStrategy(_ kind: FlowKind) -> UIMessage {
        switch kind {
        case .login: error(.noLoginStrategy, text: .chooseSignIn)
        case .registration: error(.noRegistrationStrategy, text: .chooseSignUp)
        case .settings: error(.noSettingsStrategy, text: .chooseChange)
        case .recovery: error(.noRecoveryStrategy, text: .chooseRecovery)
        case .verification: error(.noVerificationStrategy, text: .chooseVerification)
        }
    }

    /// Returns the message of a flow that replaces one that expired or was completed at `time`.
    ///
    /// The context has the time as a text in RFC 3339, and in seconds since 1970.
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
            text: .flowExpired,
            context: ["expired_at": .string(time.description), "expired_at_unix": .integer(time.seconds)]
        )
    }

    /// Returns an error without an id of its own; its context contains the reason.
    ///
    /// The id is 4000001. A text that is none of ``FormText`` has no built-in translation.
    package static func refusal(_ reason: String) -> UIMessage {
        UIMessage(id: .validation, text: reason, type: .error, context: ["reason": .string(reason)])
    }

    /// Returns an error without an id of its own; its text is translated.
    ///
    /// The id is 4000001, and the English text is the `reason` in the context.
    package static func refusal(_ text: FormText) -> UIMessage {
        refusal(text.rawValue)
    }

    /// Creates an error with an English text; `context` has the values of its placeholders, and further
    /// details.
    static func error(_ id: MessageID, text: FormText, context: [String: JSONValue]? = nil) -> UIMessage {
        UIMessage(id: id, text: text.rawValue, type: .error, context: context)
    }
}
