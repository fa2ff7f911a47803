import LatchkeyWire

/// Form nodes for passwords.
///
/// Each group of nodes consists of an empty input and a button.
enum PasswordNodes {
    /// The nodes for entering a password to log in.
    static let login = [field("current-password"), submit(UIMessage.Label.signInWithPassword)]

    /// The nodes for entering a password to re-authenticate.
    static let refresh = [field("current-password"), submit(UIMessage.Label.signIn)]

    /// The nodes for choosing a password to register.
    static let registration = [field("new-password"), submit(UIMessage.Label.signUp)]

    /// The nodes for choosing a password and entering the code that was sent to a claimed address.
    ///
    /// The field for the code belongs to the group of the method, so clients submit it with the password.
    static let registrationWithCode = [
        field("new-password"),
        UINode(
            group: "password",
            attributes: .init(name: "code", type: "text", autocomplete: "one-time-code"),
            label: UIMessage.Label.registrationCode
        ),
        submit(UIMessage.Label.signUp),
    ]

    /// The nodes for setting or changing the password.
    static let settings = [field("new-password"), submit(UIMessage.Label.save)]

    /// Returns a password field.
    ///
    /// With the `autocomplete` attribute, password managers can fill in or generate a password.
    private static func field(_ autocomplete: String) -> UINode {
        UINode(
            group: "password",
            attributes: .init(name: "password", type: "password", required: true, autocomplete: autocomplete),
            label: UIMessage.Label.password
        )
    }

    /// Returns a button that chooses the `password` method.
    private static func submit(_ label: UIMessage) -> UINode {
        UINode(
            group: "password",
            attributes: .init(name: "method", type: "submit", value: .string("password")),
            label: label
        )
    }
}
