package import LatchkeyServerKit

/// Settings for one-time codes and for logging in with them.
public struct CodeSettings: Sendable {
    /// How long a one-time code is valid.
    ///
    /// Must be between 1 second and 1 day. The default is 10 minutes. The lifespan starts when the code is
    /// requested, so it includes the delivery time.
    public var lifespan: Duration = .seconds(600)

    /// The maximum number of guesses per code.
    ///
    /// Must be between 1 and 100. As in Kratos, earlier guesses still count after another code is sent in the
    /// same flow. The exception is when a phone number is verified during registration.
    public var guesses = 5

    /// Whether users can log in and register with a code, if their schema has addresses that codes can be
    /// sent to.
    ///
    /// Recovery and verification flows send codes regardless of this setting.
    public var isLoginEnabled = true

    /// Whether the response to a request for a login code reveals that the account doesn't exist.
    ///
    /// If `false`, a decoy is stored for unknown accounts to prevent account enumeration.
    public var revealsUnknownAccounts = false

    /// Creates settings with their default values.
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
                "Whether users may log in and register with a one-time code, if their identity schema has addresses to send it to."
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
