package import LatchkeyServerKit

/// The settings of one-time codes.
public struct CodeSettings: Sendable {
    /// The lifespan of a one-time code.
    ///
    /// From 1 second to 1 day; the default is 10 minutes. The lifespan begins with the request for the code,
    /// so it includes the delivery time.
    public var lifespan: Duration = .seconds(600)

    /// The number of guesses for one code.
    ///
    /// From 1 to 100. As in Kratos, guesses still count after another code is sent in the same flow. The
    /// exception is the verification of a phone number during registration.
    public var guesses = 5

    /// Whether users can log in and register with a code if their schema has addresses that receive codes.
    ///
    /// Recoveries and verifications send codes regardless of this setting.
    public var isLoginEnabled = true

    /// Whether the response to a request for a login code reveals that the account does not exist.
    ///
    /// `false` prevents account enumeration, because a decoy is stored for an unknown account.
    public var revealsUnknownAccounts = false

    /// Creates the defaults.
    public init() {}

    /// The configuration settings for codes.
    package static let settings: [Setting<CodeSettings>] = [
        Setting(
            "codes.lifespan",
            member: \.lifespan,
            kind: .duration(.seconds(1) ... .seconds(86_400)),
            summary: "How long a one-time code is valid."
        ),
        Setting(
            "codes.guesses",
            member: \.guesses,
            kind: .number(1...100),
            summary: "How many attempts are allowed per code."
        ),
        Setting(
            "codes.login",
            member: \.isLoginEnabled,
            kind: .toggle,
            summary:
                "Whether users may log in and register with a one-time code, if their identity schema has addresses for it."
        ),
        Setting(
            "codes.tell_unknown_accounts",
            member: \.revealsUnknownAccounts,
            kind: .toggle,
            summary:
                "Whether the response to a request for a login code reveals that the account does not exist."
        ),
    ]
}
