extension ServerConfiguration {
    /// The form layout of registration.
    public enum RegistrationStyle: String, Sendable, CaseIterable {
        /// Traits and credentials are entered in one form.
        case unified
        /// Traits are entered first, then a credential is chosen.
        case profileFirst = "profile_first"
    }

    /// The handling of logins by users without a verified address.
    public enum VerifiedAddress: String, Sendable, CaseIterable {
        /// The login is allowed.
        case optional
        /// The login is refused; codes are sent, and the client continues with the verification flows.
        case required
        /// The login is refused with a message in its form.
        case requiredInForm = "required_in_form"
    }

    /// The handling of a registration by code whose address is already verified on an account.
    public enum ExistingAccount: String, Sendable, CaseIterable {
        /// The registration is refused.
        case refuse
        /// The user is logged in to that account, if its schema allows logins by code.
        case logIn = "log_in"
    }

    /// The settings of self-service flows.
    public struct SelfService: Sendable {
        /// The return URL of flows that do not specify one; `nil` for the URL of the server.
        public var defaultReturnURL: String?

        /// The app's page on which a recovery code is entered, for `recovery_link`; `nil` links to the flow
        /// itself.
        public var recoveryPage: String?

        /// A folder of form texts that override the built-in ones, `LANGUAGE.json`.
        public var texts: String?

        /// The form layout of registration.
        public var registrationStyle = RegistrationStyle.unified

        /// Whether a registration creates a session.
        public var sessionAfterRegistration = true

        /// Whether a registration sends codes to addresses that it did not verify.
        public var verificationAfterRegistration = true

        /// The identity schemas that users can register with; empty for the default schema only.
        public var registrationSchemas: [String] = []

        /// The handling of a registration by code whose address is already verified on an account.
        public var existingAccount = ExistingAccount.refuse

        /// Whether owners are notified of changes to their accounts and of new devices.
        public var notices = true

        /// Whether a duplicate-registration error lists the login methods of the existing account.
        public var loginHints = false

        /// The handling of logins by users without a verified address.
        public var verifiedAddress = VerifiedAddress.optional

        /// Whether users can log in and register with a code, if their schema has addresses for it.
        public var codeLogin = true

        /// Whether a request for a login code reveals that the account does not exist.
        public var tellsUnknownAccounts = false

        /// Whether users can recover their account with a code.
        public var recovery = true

        /// Whether users can verify their addresses with a code.
        public var verification = true

        /// Whether a settings flow sends codes to new addresses.
        public var verificationAfterSettings = false

        /// Whether a new address is stored only after its verification; only one address can change at a
        /// time.
        public var verificationBeforeChange = false

        /// The age of a login up to which its session is privileged and can change credentials.
        public var privilegedAge: Duration = .seconds(3600)

        /// Whether a new password revokes the other sessions of the account.
        public var newPasswordEndsSessions = true

        /// Creates the defaults.
        public init() {}
    }
}
