/// What an operator decides about the server's behaviour; plain values, put together elsewhere.
package struct ServerSettings: Sendable {
    /// The address under which clients reach the server, without a trailing slash.
    package var baseURL = "http://127.0.0.1:4433"

    /// What stands before the paths of the self-service API.
    package var basePath = "/a"

    /// What people know the service as; nothing to leave it out of messages.
    package var appName: String?

    /// The language of people who ask for none that there is.
    package var language = Language.english

    /// The identity schema of flows that name none.
    package var defaultSchema = "customer"

    /// Where a flow may send people back to: addresses whose origin and path lead the one asked for.
    package var allowedReturnURLs: [String] = []

    /// Where a flow leads when it is over and named no place itself; nothing means the server's own address.
    package var defaultReturnURL: String?

    /// How long a login or a registration may take.
    package var flowLifespan: Duration = .seconds(600)

    /// How long a change of settings, a recovery or a verification may take.
    package var accountFlowLifespan: Duration = .seconds(3600)

    /// How registration asks for its fields.
    package var registrationStyle = RegistrationStyle.unified

    /// Whether a registration opens a session.
    package var sessionAfterRegistration = true

    /// Whether a registration sends codes to the addresses that it did not verify.
    package var verificationAfterRegistration = true

    /// The identity schemas that registration is open for; `nil` for the default schema alone.
    package var registrationSchemas: Set<String>?

    /// What happens when a sign-up by code proves an address that an account has proven.
    package var existingAccount = ExistingAccountRule.refuse

    /// Whether owners are notified of changes to their accounts.
    package var noticesEnabled = true

    /// Whether a change of settings sends codes to the addresses that are new.
    package var verificationAfterSettings = false

    /// Whether a new address is taken into an account only when it is verified, one at a time.
    package var verificationBeforeChange = false

    /// The page of the operator's app on which the code of a recovery is entered; its flow is added to the query.
    package var recoveryPage: String?

    /// Whether people may get back into their account by a code.
    package var recoveryEnabled = true

    /// Whether people may verify their addresses by a code.
    package var verificationEnabled = true

    /// Whether people may log in and register by a code, where their schema has addresses for it.
    package var codeEnabled = true

    /// Whether asking for a code to log in with tells that there is no such account, as Kratos does.
    package var tellsUnknownAccounts = false

    /// Whether people may log in before an address of theirs is verified.
    package var verifiedAddress = VerifiedAddressRule.optional

    /// Whether whoever registers with an identifier that is taken is told how its owner logs in.
    package var loginHints = false

    /// For how long after a login its session may change what protects the account.
    package var privilegedSessionAge: Duration = .seconds(3600)

    /// Whether a new password ends the other sessions of its account.
    package var newPasswordEndsSessions = true

    /// How long a session lives.
    package var sessionLifespan: Duration = .seconds(30 * 86_400)

    /// How long a session without its device certificate lives.
    package var provisionalSessionLifespan: Duration = .seconds(900)

    /// How long after a login its session may enrol a device key that the login did not prove.
    package var enrolmentWindow: Duration = .seconds(300)

    /// What session tokens begin with.
    package var sessionTokenPrefix = "lk_st_"

    /// Whether people may register at all.
    package var registrationEnabled = true

    /// Whether people may log in with a password.
    package var passwordEnabled = true

    /// The longest password that is hashed, in bytes.
    package var maximumPasswordLength = 1024

    /// How often a new password may have come to light in breaches, where there is a list of them.
    package var toleratedBreaches = 0

    /// How long a one-time code lives.
    package var codeLifespan: Duration = .seconds(600)

    /// How many guesses a one-time code takes.
    package var codeAttempts = 5

    /// How long a request waits for the first attempt to deliver its message.
    package var deliveryWait: Duration = .seconds(5)

    /// How long a device certificate lives.
    package var certificateLifespan: Duration = .seconds(90 * 86_400)

    /// Whom access tokens are for; nothing means the server itself.
    package var tokenAudience: String?

    /// What clients of the token endpoint are called.
    package var clientID = "latchkey"

    /// How long an access token lives.
    package var accessTokenLifespan: Duration = .seconds(600)

    /// What refresh tokens begin with.
    package var refreshTokenPrefix = "lk_rt_"

    /// For how long a key signs access tokens.
    package var signingKeyLifespan: Duration = .seconds(30 * 86_400)

    /// For how long a key is published before it signs.
    package var signingKeyNotice: Duration = .seconds(86_400)

    /// How what is over is deleted.
    package var cleanUp = CleanUpOptions()

    /// How often things may happen, over all flows.
    package var limits = LimitRules()

    package init() {}

    /// The language to write to somebody in, by the header field `Accept-Language` of their request.
    package func language(for acceptLanguage: String?) -> Language {
        acceptLanguage.flatMap { Language(acceptLanguage: $0) } ?? language
    }

    /// Whether users may register with an identity schema.
    func isRegistrationOpen(for schema: IdentitySchema) -> Bool {
        registrationEnabled && schema.policy.isOpen
            && (registrationSchemas?.contains(schema.id) ?? (schema.id == defaultSchema))
    }

    /// How long a flow may take.
    package func lifespan(of kind: FlowKind) -> Duration {
        switch kind {
        case .login, .registration: flowLifespan
        case .settings, .recovery, .verification: accountFlowLifespan
        }
    }

    /// The base path without a trailing slash; empty when the self-service API stands at the root.
    package var normalizedBasePath: String {
        basePath.hasSuffix("/") ? String(basePath.dropLast()) : basePath
    }

    /// Whom access tokens are for.
    package var audience: String { tokenAudience ?? baseURL }

    /// How long others may keep the set of keys, in seconds; much shorter than the notice of a new one.
    package var keySetMaxAge: Int64 {
        min(.seconds(3600), signingKeyNotice / 2).components.seconds
    }

    /// The address of the self-service API.
    package var selfServiceURL: String {
        baseURL + normalizedBasePath
    }
}

/// What happens when a sign-up by code proves an address that an account has proven.
package enum ExistingAccountRule: String, Sendable, CaseIterable {
    /// The sign-up is refused with message 4000007.
    case refuse
    /// The caller is logged in to that account, where its schema has logins by code.
    case logIn = "log_in"
}

/// How registration asks for its fields (Kratos's `style`).
package enum RegistrationStyle: String, Sendable, CaseIterable {
    /// Traits and credentials in one form.
    case unified
    /// Traits first, then a choice of credentials.
    case profileFirst = "profile_first"
}
