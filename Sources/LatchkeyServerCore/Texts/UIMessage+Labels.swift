package import LatchkeyWire

extension UIMessage {
    /// The labels of fields and buttons; the numbers are Kratos's, the words are ours.
    package enum Label {
        package static let signIn = info(.signIn, "Sign in")
        package static let signInWithPassword = info(.signInWithPassword, "Sign in with your password")
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
