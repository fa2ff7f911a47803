/// An app's wishes for a login in a browser (OpenID Connect Core 1.0, section 3.1.2.1).
public struct AuthorizationOptions: Hashable, Sendable {
    /// A page that the provider must show.
    public struct Prompt: RawRepresentable, Hashable, Sendable {
        /// The value of the parameter `prompt`.
        public let rawValue: String

        /// Creates a prompt from the value of the parameter.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The user logs in again.
        public static let login = Prompt(rawValue: "login")
        /// The user confirms the scopes again.
        public static let consent = Prompt(rawValue: "consent")
        /// The user chooses an account.
        public static let selectAccount = Prompt(rawValue: "select_account")
        /// The user creates an account.
        public static let create = Prompt(rawValue: "create")
    }

    /// The scopes besides `openid`.
    public var scopes: Set<String>
    /// A page that the provider must show, or `nil` to let the provider decide.
    public var prompt: Prompt?
    /// The longest time since the user has authenticated, in seconds, or `nil` for any.
    public var maxAge: Int?
    /// The text that fills in the identifier on the login page.
    public var loginHint: String?
    /// The languages for the pages, as tags in order of preference.
    ///
    /// If the list is empty, those of the client are used.
    public var uiLocales: [String]

    /// Creates options.
    public init(
        scopes: Set<String> = [],
        prompt: Prompt? = nil,
        maxAge: Int? = nil,
        loginHint: String? = nil,
        uiLocales: [String] = []
    ) {
        (self.scopes, self.prompt, self.maxAge) = (scopes, prompt, maxAge)
        (self.loginHint, self.uiLocales) = (loginHint, uiLocales)
    }
}
