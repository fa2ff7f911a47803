package import LatchkeyServerKit

/// The settings of one-time codes.
public struct CodeSettings: Sendable {
    /// The lifespan of a one-time code.
    public var lifespan: Duration = .seconds(600)

    /// The number of guesses for one code.
    public var guesses = 5

    /// Whether users can log in and register with a code, if their schema has addresses for it.
    public var isLoginEnabled = true

    /// Whether a request for a login code reveals that the account does not exist.
    public var revealsUnknownAccounts = false

    /// Creates the defaults.
    public init() {}

    /// The settings of the part.
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
            summary: "Whether a request for a login code reports that no such account exists."
        ),
    ]
}
