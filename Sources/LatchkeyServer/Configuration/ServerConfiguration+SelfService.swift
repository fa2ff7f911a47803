extension ServerConfiguration {
    /// How registration asks for its fields.
    public enum RegistrationStyle: String, Sendable, CaseIterable {
        /// Traits and credentials in one form.
        case unified
        /// Traits first, then a choice of credentials.
        case profileFirst = "profile_first"
    }

    /// Whether the address that a user logs in with must be verified.
    public enum VerifiedAddress: String, Sendable, CaseIterable {
        /// They may.
        case optional
        /// They may not: they are sent codes, and go on with their verifications.
        case required
        /// They may not, and the form of the login says so.
        case requiredInForm = "required_in_form"
    }

    /// What a sign-up by code does if its address is proven on an account.
    public enum ExistingAccount: String, Sendable, CaseIterable {
        /// The sign-up is refused.
        case refuse
        /// The user is logged in to that account, where its schema has logins by code.
        case logIn = "log_in"
    }

    /// What people may do by themselves, and what follows from it.
    public struct SelfService: Sendable {
        /// Where a flow leads when it is over and named no place itself; nothing means the server's own address.
        public var defaultReturnURL: String?

        /// The page of your app on which the code of a recovery is entered, for `recovery_link`; nothing means the flow itself.
        public var recoveryPage: String?

        /// A folder of the operator's own words for forms, `LANGUAGE.json`.
        public var texts: String?

        /// How registration asks for its fields.
        public var registrationStyle = RegistrationStyle.unified

        /// Whether a registration opens a session.
        public var sessionAfterRegistration = true

        /// Whether a registration sends codes to the addresses that it did not verify.
        public var verificationAfterRegistration = true

        /// The identity schemas that users may register with; empty for the default schema alone.
        public var registrationSchemas: [String] = []

        /// What a sign-up by code does if its address is proven on an account.
        public var existingAccount = ExistingAccount.refuse

        /// Whether owners are notified of changes to their accounts and of new devices.
        public var notices = true

        /// Whether whoever registers with an identifier that is taken is told how its owner logs in.
        public var loginHints = false

        /// Whether the address that a user logs in with must be verified.
        public var verifiedAddress = VerifiedAddress.optional

        /// Whether people may log in and register by a code, where their schema has addresses for it.
        public var codeLogin = true

        /// Whether asking for a code to log in with tells that there is no such account.
        public var tellsUnknownAccounts = false

        /// Whether people may get back into their account by a code.
        public var recovery = true

        /// Whether people may verify their addresses by a code.
        public var verification = true

        /// Whether a change of settings sends codes to the addresses that are new.
        public var verificationAfterSettings = false

        /// Whether a new address is taken into an account only when it is verified, one at a time.
        public var verificationBeforeChange = false

        /// For how long after a login its session may change what protects the account.
        public var privilegedAge: Duration = .seconds(3600)

        /// Whether a new password ends the other sessions of its account.
        public var newPasswordEndsSessions = true

        /// Creates the defaults.
        public init() {}
    }
}
