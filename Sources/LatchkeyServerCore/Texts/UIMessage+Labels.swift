package import LatchkeyWire

extension UIMessage {
    /// The labels of fields and buttons; their ids are those of Kratos, their texts those of this server.
    package enum Label {
        package static let signIn = info(.signIn, .signIn)
        package static let signInWithPassword = info(.signInWithPassword, .signInWithPassword)
        package static let sendSignInCode = info(.sendSignInCode, .sendSignInCode)
        package static let sendSignUpCode = info(.sendSignUpCode, .sendSignUpCode)
        package static let back = info(.back, .back)
        package static let save = info(.save, .save)
        package static let email = info(.email, .email)
        package static let phone = info(.phone, .phone)
        package static let emailOrPhone = info(.emailOrPhone, .emailOrPhone)
        package static let resend = info(.resend, .resend)
        package static let proceed = info(.proceed, .proceed)
        package static let loginCode = info(.loginCode, .code)
        package static let registrationCode = info(.registrationCode, .code)
        package static let recoveryCode = info(.recoveryCode, .code)
        package static let verificationCode = info(.verificationCode, .code)
        package static let signUp = info(.signUp, .signUp)
        package static let password = info(.password, .password)
        package static let identifier = info(.identifier, .emailOrPhone)

        /// Returns the label of a trait, which is its title in the identity schema.
        package static func trait(_ field: String, title: String) -> UIMessage {
            UIMessage(
                id: .traitTitle,
                text: title,
                type: .info,
                context: ["name": .string(field), "title": .string(title)]
            )
        }

        private static func info(_ id: MessageID, _ text: FormText) -> UIMessage {
            UIMessage.info(id, text)
        }
    }
}
