import LatchkeyWire

/// What the password contributes to forms.
enum PasswordNodes {
    /// A field for the password there is.
    static let login = [field("current-password"), submit(UIMessage.Label.signInWithPassword)]

    /// The same for somebody who proves again who they are.
    static let refresh = [field("current-password"), submit(UIMessage.Label.signIn)]

    /// A field for the first password.
    static let registration = [field("new-password"), submit(UIMessage.Label.signUp)]

    /// A field for another password.
    static let settings = [field("new-password"), submit(UIMessage.Label.save)]

    private static func field(_ autocomplete: String) -> UINode {
        UINode(
            group: "password",
            attributes: .init(name: "password", type: "password", required: true, autocomplete: autocomplete),
            label: UIMessage.Label.password
        )
    }

    private static func submit(_ label: UIMessage) -> UINode {
        UINode(
            group: "password",
            attributes: .init(name: "method", type: "submit", value: .string("password")),
            label: label
        )
    }
}
