package import LatchkeyWire

extension UIMessage {
    /// The labels of fields and buttons, with Kratos's ids but our own texts.
    package enum Label {
        /// The button that submits a password to re-authenticate.
        package static let signIn = info(.signIn, text: .signIn)
        /// The button that submits a password to log in.
        package static let signInWithPassword = info(.signInWithPassword, text: .signInWithPassword)
        /// The button that asks for a login code.
        package static let sendSignInCode = info(.sendSignInCode, text: .sendSignInCode)
        /// The button that asks for a registration code.
        package static let sendSignUpCode = info(.sendSignUpCode, text: .sendSignUpCode)
        /// The button that goes back to the first step of a registration.
        package static let back = info(.back, text: .back)
        /// The buttons that save traits or a new password.
        package static let save = info(.save, text: .save)
        /// The label of the address field if the schema has only e-mail addresses.
        package static let email = info(.email, text: .email)
        /// The label of the address field if the schema has only phone numbers.
        package static let phone = info(.phone, text: .phone)
        /// The label of the address field if the schema has both e-mail addresses and phone numbers.
        package static let emailOrPhone = info(.emailOrPhone, text: .emailOrPhone)
        /// The button that asks for another code.
        package static let resend = info(.resend, text: .resend)
        /// The button that submits a code or an address, and the link shown after a verification.
        package static let proceed = info(.proceed, text: .proceed)
        /// The field for a login code.
        ///
        /// The labels for other codes differ only in their ids.
        package static let loginCode = info(.loginCode, text: .code)
        package static let registrationCode = info(.registrationCode, text: .code)
        package static let recoveryCode = info(.recoveryCode, text: .code)
        package static let verificationCode = info(.verificationCode, text: .code)
        /// The button that submits a registration or its first step.
        package static let signUp = info(.signUp, text: .signUp)
        package static let password = info(.password, text: .password)
        /// The field for the login identifier.
        ///
        /// If the schema has exactly one identifier and it has a title, that title is used instead.
        package static let identifier = info(.identifier, text: .emailOrPhone)

        /// Returns the label for a trait, which is its title in the identity schema.
        ///
        /// The title is translated only if the operator provides a translation (``FormTranslations``).
        package static func trait(_ field: String, title: String) -> UIMessage {
            UIMessage(
                id: .traitTitle,
                text: title,
                type: .info,
                context: ["name": .string(field), "title": .string(title)]
            )
        }

        /// Returns the label for the checkbox of a document, whose text is at a URL.
        package static func document(
            _ field: String,
            title: String,
            url: String,
            isAccepted: Bool
        ) -> UIMessage {
            UIMessage(
                id: .traitTitle,
                text: (isAccepted ? FormText.acceptDocument : .readDocument).rawValue,
                type: .info,
                context: ["name": .string(field), "title": .string(title), "url": .string(url)]
            )
        }

        /// The button that refuses documents and logs the user out.
        package static let decline = info(.back, text: .declineDocuments)

        /// Creates a label.
        ///
        /// As in Kratos, labels are messages of the type `info`.
        private static func info(_ id: MessageID, text: FormText) -> UIMessage {
            UIMessage.info(id, text: text)
        }
    }
}
