import LatchkeyWire

/// The form nodes for passwords, which are an input without a value and a button.
enum PasswordNodes {
    /// The nodes for entering the password in a login.
    static let login = [field("current-password"), submit(UIMessage.Label.signInWithPassword)]

    /// The nodes for entering the password in a re-authentication.
    static let refresh = [field("current-password"), submit(UIMessage.Label.signIn)]

    /// The nodes for choosing a password in a registration.
    static let registration = [field("new-password"), submit(UIMessage.Label.signUp)]

    /// The nodes for setting or replacing the password.
    static let settings = [field("new-password"), submit(UIMessage.Label.save)]

    /// Returns the password field; `autocomplete` lets password managers fill in or generate a password.
    private static func field(_ autocomplete: String) -> UINode {
        UINode(
            group: "password",
            attributes: .init(name: "password", type: "password", required: true, autocomplete: autocomplete),
            label: UIMessage.Label.password
        )
    }

    /// Returns the button that chooses the method `password`.
    private static func submit(_ label: UIMessage) -> UINode {
        UINode(
            group: "password",
            attributes: .init(name: "method", type: "submit", value: .string("password")),
            label: label
        )
    }
}
