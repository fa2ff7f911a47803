package import LatchkeyWire

extension UIMessage {
    /// The labels of fields and buttons; the numbers are Kratos's, the words are ours.
    package enum Label {
        package static let signIn = info(.signIn, "Sign in")
        package static let signInWithPassword = info(.signInWithPassword, "Sign in with your password")
        package static let sendSignInCode = info(.sendSignInCode, "Send me a code to sign in")
        package static let sendSignUpCode = info(.sendSignUpCode, "Send me a code to confirm")
        package static let back = info(.back, "Back")
        package static let save = info(.save, "Save")
        package static let email = info(.email, "E-mail")
        package static let phone = info(.phone, "Phone number")
        package static let emailOrPhone = info(.emailOrPhone, "E-mail or phone number")
        package static let resend = info(.resend, "Send another code")
        package static let proceed = info(.proceed, "Continue")
        package static let loginCode = info(.loginCode, "Code")
        package static let registrationCode = info(.registrationCode, "Code")
        package static let recoveryCode = info(.recoveryCode, "Code")
        package static let verificationCode = info(.verificationCode, "Code")
        package static let signUp = info(.signUp, "Create account")
        package static let password = info(.password, "Password")
        package static let identifier = info(.identifier, "E-mail or phone number")

        /// The label of a trait: its title in the identity schema.
        package static func trait(_ field: String, title: String) -> UIMessage {
            UIMessage(
                id: .traitTitle,
                text: title,
                type: .info,
                context: ["name": .string(field), "title": .string(title)]
            )
        }

        private static func info(_ id: MessageID, _ text: String) -> UIMessage {
            UIMessage(id: id, text: text, type: .info)
        }
    }
}
