import LatchkeyAccounts
import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyWire

/// Messages about codes and settings, with Kratos's ids but our own texts.
extension UIMessage {
    /// The message shown after a login code was requested.
    ///
    /// The message doesn't reveal whether an account exists.
    package static let loginCodeSent = info(
        .loginCodeSent,
        text: .loginCodeSent
    )

    /// The message shown after a code was sent to a logged-in user who is re-authenticating.
    package static let codeSentAgain = info(.codeSentAgain, text: .codeSent)

    /// The message shown after a registration code was sent.
    ///
    /// The text doesn't reveal whether the address already has an account.
    package static let registrationCodeSent = info(
        .registrationCodeSent,
        text: .codeSent
    )

    /// Returns the message shown next to the code field after a code was sent to an address that another
    /// account claims.
    ///
    /// The address is masked.
    package static func claimCodeSent(_ address: ContactAddress) -> UIMessage {
        UIMessage(
            id: .registrationCodeSent,
            text: FormText.claimCodeSent.rawValue,
            type: .info,
            context: ["address": .string(address.description)]
        )
    }

    /// The message shown after a recovery code was requested.
    ///
    /// The message doesn't reveal whether an account exists.
    package static let recoveryCodeSent = info(
        .recoveryCodeSent,
        text: .recoveryCodeSent
    )

    /// The message shown after a verification code was requested for an e-mail address.
    ///
    /// The message doesn't reveal whether an account exists.
    package static let emailCodeSent = info(
        .emailCodeSent,
        text: .emailCodeSent
    )

    /// The message shown after a verification code was requested for a phone number.
    ///
    /// The message doesn't reveal whether an account exists.
    package static let phoneCodeSent = info(
        .phoneCodeSent,
        text: .phoneCodeSent
    )

    /// Returns the message to show after a verification code was sent.
    package static func verificationCodeSent(_ address: ContactAddress) -> UIMessage {
        address.via == .sms ? phoneCodeSent : emailCodeSent
    }

    /// Returns the message to show after an address was verified.
    package static func verified(_ address: ContactAddress) -> UIMessage {
        switch address.via {
        case .sms: success(.phoneVerified, text: .phoneVerified)
        case .email: success(.emailVerified, text: .emailVerified)
        }
    }

    /// The error for an identifier that has no account, or whose account cannot log in with a code.
    package static let noCodeLogin = error(
        .noCodeLogin,
        text: .noCodeLogin
    )

    /// The error for registering with a code if the traits contain no address that codes can be sent to.
    package static let noCodeAddress = refusal(.noCodeAddress)

    /// The error for a login or registration code that has already been used.
    package static let codeUsed = refusal(.codeUsed)

    /// The error for any code in a flow after too many wrong guesses.
    package static let codeExhausted = refusal(.codeExhausted)

    /// The error for a code if the submitted traits differ from the ones that the code was sent for.
    package static let traitsChanged = error(
        .traitsChanged,
        text: .traitsChanged
    )

    /// Returns the message to show after a successful recovery.
    ///
    /// The session is privileged until `end`.
    ///
    /// The context contains this time in three members: twice as an RFC 3339 string, under different names,
    /// and once as the number of seconds since 1970.
    package static func recovered(until end: Timestamp) -> UIMessage {
        success(
            .recovered,
            text: .recovered,
            context: [
                "privilegedSessionExpiresAt": .string(end.description),
                "privileged_session_expires_at": .string(end.description),
                "privileged_session_expires_at_unix": .integer(end.seconds),
            ]
        )
    }

    /// The message shown after a settings change was saved.
    ///
    /// The message is shown above a form that contains the new traits.
    package static let settingsSaved = success(.settingsSaved, text: .settingsSaved)

    /// The error for a new password that is the same as the old one.
    package static let passwordUnchanged = error(
        .passwordUnchanged,
        text: .passwordUnchanged
    )

    /// The error for a change that conflicts with a change made by another request.
    package static let changedMeanwhile = refusal(
        .changedMeanwhile
    )

    /// The error for changing several addresses at the same time if each must be verified before it is saved.
    package static let severalAddresses = error(.severalAddresses, text: .severalAddresses)

    /// The error for a profile change that contains no traits.
    package static let nothingToChange = refusal(.nothingToChange)

    /// Asks the user to choose a credential in the second step of a registration.
    package static let chooseCredential = info(.chooseCredential, text: .chooseCredential)

    /// Returns the error for a code that is wrong, has expired, or was replaced by a later one.
    ///
    /// As in Kratos, the message's id depends on the kind of flow, but its text doesn't.
    package static func wrongCode(_ kind: FlowKind) -> UIMessage {
        let id: MessageID =
            switch kind {
            case .login, .settings: .wrongLoginCode
            case .registration: .wrongRegistrationCode
            case .recovery: .wrongRecoveryCode
            case .verification: .wrongVerificationCode
            }
        return error(id, text: .wrongCode)
    }

    /// Creates an informational message from an English text.
    static func info(_ id: MessageID, text: FormText) -> UIMessage {
        UIMessage(id: id, text: text.rawValue, type: .info)
    }

    /// Creates a message about a completed action.
    ///
    /// `context` contains details for the client.
    static func success(_ id: MessageID, text: FormText, context: [String: JSONValue]? = nil) -> UIMessage {
        UIMessage(id: id, text: text.rawValue, type: .success, context: context)
    }
}
