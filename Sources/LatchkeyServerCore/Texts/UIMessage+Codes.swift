package import LatchkeyModel
package import LatchkeyWire

extension UIMessage {
    /// What flows say about codes; the numbers are Kratos's, the words are ours.
    package static let loginCodeSent = info(
        .loginCodeSent,
        .loginCodeSent
    )

    package static let codeSentAgain = info(.codeSentAgain, .codeSent)

    package static let registrationCodeSent = info(
        .registrationCodeSent,
        .codeSent
    )

    package static let recoveryCodeSent = info(
        .recoveryCodeSent,
        .recoveryCodeSent
    )

    package static let emailCodeSent = info(
        .emailCodeSent,
        .emailCodeSent
    )

    package static let phoneCodeSent = info(
        .phoneCodeSent,
        .phoneCodeSent
    )

    /// A verification whose code is on its way.
    package static func verificationCodeSent(_ address: Traits.Address) -> UIMessage {
        address.via == .sms ? phoneCodeSent : emailCodeSent
    }

    /// A verification that has succeeded.
    package static func verified(_ address: Traits.Address) -> UIMessage {
        switch address.via {
        case .sms: success(.phoneVerified, .phoneVerified)
        case .email: success(.emailVerified, .emailVerified)
        }
    }

    package static let noCodeLogin = error(
        .noCodeLogin,
        .noCodeLogin
    )

    package static let noCodeAddress = refusal(.noCodeAddress)

    package static let codeUsed = refusal(.codeUsed)

    package static let codeExhausted = refusal(.codeExhausted)

    package static let traitsChanged = error(
        .traitsChanged,
        .traitsChanged
    )

    /// A recovery that has succeeded; for a while its session may change what protects the account.
    package static func recovered(until end: Timestamp) -> UIMessage {
        success(
            .recovered,
            .recovered,
            [
                "privilegedSessionExpiresAt": .string(end.description),
                "privileged_session_expires_at": .string(end.description),
                "privileged_session_expires_at_unix": .integer(end.seconds),
            ]
        )
    }

    package static let settingsSaved = success(.settingsSaved, .settingsSaved)

    package static let passwordUnchanged = error(
        .passwordUnchanged,
        .passwordUnchanged
    )

    package static let changedMeanwhile = refusal(
        .changedMeanwhile
    )

    package static let severalAddresses = error(.severalAddresses, .severalAddresses)

    package static let nothingToChange = refusal(.nothingToChange)

    package static let chooseCredential = info(.chooseCredential, .chooseCredential)

    /// A code that is not the one that was sent last, or is too old.
    package static func wrongCode(_ kind: FlowKind) -> UIMessage {
        let id: MessageID =
            switch kind {
            case .login, .settings: .wrongLoginCode
            case .registration: .wrongRegistrationCode
            case .recovery: .wrongRecoveryCode
            case .verification: .wrongVerificationCode
            }
        return error(id, .wrongCode)
    }

    static func info(_ id: MessageID, _ text: FormText) -> UIMessage {
        UIMessage(id: id, text: text.rawValue, type: .info)
    }

    static func success(_ id: MessageID, _ text: FormText, _ context: [String: JSONValue]? = nil) -> UIMessage
    {
        UIMessage(id: id, text: text.rawValue, type: .success, context: context)
    }
}
