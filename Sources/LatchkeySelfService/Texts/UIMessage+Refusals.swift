package import LatchkeyModel
package import LatchkeyWire

/// Messages about flows and rejected submissions, which have the same ids as in Kratos but different texts.
extension UIMessage {
    /// Asks a logged-in user to re-authenticate.
    package static let reauthenticate = info(.reauthenticate, text: .reauthenticate)

    /// Asks the user for a second factor, which this server doesn't support yet.
    package static let secondFactor = info(.secondFactor, text: .secondFactor)

    /// The error for a failed login, which doesn't reveal whether the account exists.
    package static let invalidCredentials = error(
        .invalidCredentials,
        text: .invalidCredentials
    )

    /// The error for an identifier or address that already belongs to another account.
    package static let duplicateIdentifier = error(
        .duplicateIdentifier,
        text: .duplicate
    )

    /// Returns the error for an identifier that belongs to another account.
    ///
    /// The context member `available_credential_types` lists the account's methods, which can be `password`
    /// and `code`. The list of OIDC providers is always empty.
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

    /// Returns the error for traits that are too large to be stored with their flow.
    ///
    /// `maximum` is in bytes.
    package static func traitsTooLarge(maximum: Int) -> UIMessage {
        refusal("The fields exceed \(maximum) bytes in total.")
    }

    /// The error for a correct code if the address that the code was sent to isn't proven on the account.
    package static let addressNotProven = error(.addressNotVerified, text: .addressNotProven)

    /// The error for a change after which the user couldn't enter the account any more.
    package static let lastEntrance = refusal(.lastEntrance)

    /// The error for removing an address if the user has entered neither the password nor a code for the
    /// address in this session.
    package static let removalNeedsProof = refusal(.removalNeedsProof)

    /// The error for changing the password if the user has entered neither the old password nor codes for two
    /// proven addresses in this session.
    ///
    /// If the session was created by a recovery, the user can set a password without entering these
    /// credentials.
    package static let passwordNeedsProof = refusal(.passwordNeedsProof)

    /// The error for logging in to a disabled account, which is shown only if the credential is correct.
    package static let identityDisabled = error(.identityDisabled, text: .identityDisabled)

    /// The error for logging in to an account that requires a device certificate in a browser, which is shown
    /// only if the credential is correct.
    package static let appRequired = refusal(.appRequired)

    /// Returns the error for a submission that doesn't name a known method.
    package static func noStrategy(_ kind: FlowKind) -> UIMessage {
        switch kind {
        case .login: error(.noLoginStrategy, text: .chooseSignIn)
        case .registration: error(.noRegistrationStrategy, text: .chooseSignUp)
        case .settings: error(.noSettingsStrategy, text: .chooseChange)
        case .recovery: error(.noRecoveryStrategy, text: .chooseRecovery)
        case .verification: error(.noVerificationStrategy, text: .chooseVerification)
        }
    }

    /// Returns the message to show in a replacement flow.
    ///
    /// `time` is when the previous flow expired or was completed.
    ///
    /// The context contains the time as an RFC 3339 string and as the number of seconds since 1970.
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

    /// Returns a generic error with the id 4000001 whose context contains the reason.
    ///
    /// Only reasons that are ``FormText`` values have built-in translations.
    package static func refusal(_ reason: String) -> UIMessage {
        UIMessage(id: .validation, text: reason, type: .error, context: ["reason": .string(reason)])
    }

    /// Returns a generic error with the id 4000001 and a translated text.
    ///
    /// The `reason` in the context of the message is the English text.
    package static func refusal(_ text: FormText) -> UIMessage {
        refusal(text.rawValue)
    }

    /// Creates an error from an English text.
    ///
    /// `context` contains the values for its placeholders and other details.
    static func error(_ id: MessageID, text: FormText, context: [String: JSONValue]? = nil) -> UIMessage {
        UIMessage(id: id, text: text.rawValue, type: .error, context: context)
    }
}
