package import LatchkeyModel
package import LatchkeyWire

extension UIMessage {
    /// What flows say about codes; the numbers are Kratos's, the words are ours.
    package static let loginCodeSent = info(
        .loginCodeSent,
        "If there is an account for this, a code is on its way. Type it in here."
    )

    package static let codeSentAgain = info(.codeSentAgain, "A code is on its way to you. Type it in here.")

    package static let registrationCodeSent = info(
        .registrationCodeSent,
        "A code is on its way to you. Type it in here."
    )

    package static let recoveryCodeSent = info(
        .recoveryCodeSent,
        "If there is an account for this address, a code is on its way. Type it in here."
    )

    package static let emailCodeSent = info(
        .emailCodeSent,
        "If this address belongs to an account, a mail with a code is on its way. Type it in here."
    )

    package static let phoneCodeSent = info(
        .phoneCodeSent,
        "If this number belongs to an account, a message with a code is on its way. Type it in here."
    )

    /// A verification whose code is on its way.
    package static func verificationCodeSent(_ address: Traits.Address) -> UIMessage {
        address.via == .sms ? phoneCodeSent : emailCodeSent
    }

    /// A verification that has succeeded.
    package static func verified(_ address: Traits.Address) -> UIMessage {
        switch address.via {
        case .sms: success(.phoneVerified, "Your phone number is confirmed.")
        case .email: success(.emailVerified, "Your e-mail address is confirmed.")
        }
    }

    package static let noCodeLogin = error(
        .noCodeLogin,
        "There is no account for this, or it cannot be signed in to with a code."
    )

    package static let noCodeAddress = refusal("There is no address here that a code could be sent to.")

    package static let codeUsed = refusal("This code was used already; have another one sent.")

    package static let codeExhausted = refusal("There were too many wrong codes; please begin again.")

    package static let traitsChanged = error(
        .traitsChanged,
        "Something changed since the code was sent; have another one sent."
    )

    /// A recovery that has succeeded; for a while its session may change what protects the account.
    package static func recovered(until end: Timestamp) -> UIMessage {
        success(
            .recovered,
            "You are back in. Set a new password now.",
            [
                "privilegedSessionExpiresAt": .string(end.description),
                "privileged_session_expires_at": .string(end.description),
                "privileged_session_expires_at_unix": .integer(end.seconds),
            ]
        )
    }

    package static let settingsSaved = success(.settingsSaved, "Your changes are saved.")

    package static let passwordUnchanged = error(
        .passwordUnchanged,
        "This is the password that you have already; choose another one."
    )

    package static let changedMeanwhile = refusal(
        "Your account was changed from somewhere else at the same moment; look again and repeat it if need be."
    )

    package static let nothingToChange = refusal("There is nothing here to change.")

    package static let chooseCredential = info(.chooseCredential, "Now choose how you want to sign in.")

    /// A code that is not the one that was sent last, or is too old.
    package static func wrongCode(_ kind: FlowKind) -> UIMessage {
        let id: MessageID =
            switch kind {
            case .login, .settings: .wrongLoginCode
            case .registration: .wrongRegistrationCode
            case .recovery: .wrongRecoveryCode
            case .verification: .wrongVerificationCode
            }
        return error(id, "This code is wrong or too old. Check it, or have another one sent.")
    }

    static func info(_ id: MessageID, _ text: String) -> UIMessage {
        UIMessage(id: id, text: text, type: .info)
    }

    static func success(_ id: MessageID, _ text: String, _ context: [String: JSONValue]? = nil) -> UIMessage {
        UIMessage(id: id, text: text, type: .success, context: context)
    }
}
