package import LatchkeyWire

extension UIMessage {
    /// The labels of fields and buttons; their ids are those of Kratos, their texts those of this server.
    package enum Label {
        package static let signIn = info(.signIn, text: .signIn)
        package static let signInWithPassword = info(.signInWithPassword, text: .signInWithPassword)
        package static let sendSignInCode = info(.sendSignInCode, text: .sendSignInCode)
        package static let sendSignUpCode = info(.sendSignUpCode, text: .sendSignUpCode)
        package static let back = info(.back, text: .back)
        package static let save = info(.save, text: .save)
        package static let email = info(.email, text: .email)
        package static let phone = info(.phone, text: .phone)
        package static let emailOrPhone = info(.emailOrPhone, text: .emailOrPhone)
        package static let resend = info(.resend, text: .resend)
        package static let proceed = info(.proceed, text: .proceed)
        package static let loginCode = info(.loginCode, text: .code)
        package static let registrationCode = info(.registrationCode, text: .code)
        package static let recoveryCode = info(.recoveryCode, text: .code)
        package static let verificationCode = info(.verificationCode, text: .code)
        package static let signUp = info(.signUp, text: .signUp)
        package static let password = info(.password, text: .password)
        package static let identifier = info(.identifier, text: .emailOrPhone)

        /// Returns the label of a trait, which is its title in the identity schema.
        package static func trait(_ field: String, title: String) -> UIMessage {
            UIMessage(
                id: .traitTitle,
                text: title,
                type: .info,
                context: ["name": .string(field), "title": .string(title)]
            )
        }

        private static func info(_ id: MessageID, text: FormText) -> UIMessage {
            UIMessage.info(id, text: text)
        }
    }
}
