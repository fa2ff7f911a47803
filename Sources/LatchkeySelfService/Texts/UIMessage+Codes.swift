package import LatchkeyAccounts
import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyWire

/// Messages about codes and settings; their ids are those of Kratos, their texts those of this server.
extension UIMessage {
    /// A code was sent if the identifier has an account, which this message does not reveal.
    package static let loginCodeSent = info(
        .loginCodeSent,
        text: .loginCodeSent
    )

    /// A code was sent to a user who is logged in and authenticates again.
    package static let codeSentAgain = info(.codeSentAgain, text: .codeSent)

    /// A code was sent to an address in the traits of a registration, whether or not it has an account.
    package static let registrationCodeSent = info(
        .registrationCodeSent,
        text: .codeSent
    )

    /// A recovery code was sent if the address has an account, which this message does not reveal.
    package static let recoveryCodeSent = info(
        .recoveryCodeSent,
        text: .recoveryCodeSent
    )

    /// A verification code was sent by mail if the address has an account, which this message does not
    /// reveal.
    package static let emailCodeSent = info(
        .emailCodeSent,
        text: .emailCodeSent
    )

    /// A verification code was sent by text message if the number has an account, which is not revealed.
    package static let phoneCodeSent = info(
        .phoneCodeSent,
        text: .phoneCodeSent
    )

    /// Returns the message of a verification whose code was sent.
    package static func verificationCodeSent(_ address: Traits.Address) -> UIMessage {
        address.via == .sms ? phoneCodeSent : emailCodeSent
    }

    /// Returns the message of a verification that succeeded.
    package static func verified(_ address: Traits.Address) -> UIMessage {
        switch address.via {
        case .sms: success(.phoneVerified, text: .phoneVerified)
        case .email: success(.emailVerified, text: .emailVerified)
        }
    }

    /// The refusal of an identifier without an account that can log in with a code.
    package static let noCodeLogin = error(
        .noCodeLogin,
        text: .noCodeLogin
    )

    /// The refusal of a registration by code whose traits have no address for codes.
    package static let noCodeAddress = refusal(.noCodeAddress)

    /// The refusal of a code that was entered correctly before, in a login or a registration.
    package static let codeUsed = refusal(.codeUsed)

    /// The refusal of every code of a flow after too many wrong guesses.
    package static let codeExhausted = refusal(.codeExhausted)

    /// The refusal of a code that was sent for other traits than those submitted with it.
    package static let traitsChanged = error(
        .traitsChanged,
        text: .traitsChanged
    )

    /// Returns the message of a recovery that succeeded; until `end`, its session is privileged.
    ///
    /// The context has the time in three members: two spellings of a text in RFC 3339, and seconds since
    /// 1970.
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

    /// The change of a settings flow was saved; a form with it shows the new traits.
    package static let settingsSaved = success(.settingsSaved, text: .settingsSaved)

    /// The refusal of a new password that is the same as the old one.
    package static let passwordUnchanged = error(
        .passwordUnchanged,
        text: .passwordUnchanged
    )

    /// The refusal of a change that another request has preceded.
    package static let changedMeanwhile = refusal(
        .changedMeanwhile
    )

    /// The refusal of a change of several addresses, if each has to be verified before the change.
    package static let severalAddresses = error(.severalAddresses, text: .severalAddresses)

    /// The refusal of a settings change without traits.
    package static let nothingToChange = refusal(.nothingToChange)

    /// Asks for the second step of a registration.
    package static let chooseCredential = info(.chooseCredential, text: .chooseCredential)

    /// Returns the refusal of a code that is wrong, expired or not the latest one.
    ///
    /// The id differs by kind, as in Kratos; the text is the same.
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

    /// Creates an information with an English text; its context is `nil`.
    static func info(_ id: MessageID, text: FormText) -> UIMessage {
        UIMessage(id: id, text: text.rawValue, type: .info)
    }

    /// Creates a message about a completed action; `context` has details for the client.
    static func success(_ id: MessageID, text: FormText, context: [String: JSONValue]? = nil) -> UIMessage {
        UIMessage(id: id, text: text.rawValue, type: .success, context: context)
    }
}
