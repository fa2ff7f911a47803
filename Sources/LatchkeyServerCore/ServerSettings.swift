/// The operator's settings for the behaviour of the server, as plain values.
///
/// The server's configuration creates them; the defaults here apply to settings that the operator leaves out.
package struct ServerSettings: Sendable {
    /// The public URL of the server, without a trailing slash; also the issuer of access tokens.
    package var baseURL = "http://127.0.0.1:4433"

    /// The path prefix of the self-service API.
    package var basePath = "/a"

    /// The display name of the service in messages; `nil` omits it.
    package var appName: String?

    /// The fallback language for requests whose `Accept-Language` matches no available language.
    package var language = Language.english

    /// The identity schema of flows that do not name one.
    package var defaultSchema = "customer"

    /// The allowed values of `return_to`.
    ///
    /// An address matches if it has the origin of an entry and a path at or below that of the entry.
    package var allowedReturnURLs: [String] = []

    /// The return address of completed flows that have no `return_to`; `nil` means the root of ``baseURL``.
    package var defaultReturnURL: String?

    /// The lifespan of login and registration flows.
    package var flowLifespan: Duration = .seconds(600)

    /// The lifespan of settings, recovery and verification flows.
    package var accountFlowLifespan: Duration = .seconds(3600)

    /// The number of steps in which registration collects traits and credentials.
    package var registrationStyle = RegistrationStyle.unified

    /// Whether a registration opens a session.
    package var sessionAfterRegistration = true

    /// Whether a registration sends codes to the addresses that it did not verify itself.
    package var verificationAfterRegistration = true

    /// The identity schemas with open registration; `nil` means ``defaultSchema`` only.
    package var registrationSchemas: Set<String>?

    /// The reaction to a sign-up by code with an address that is already proven on another account.
    package var existingAccount = ExistingAccountRule.refuse

    /// Whether account owners are notified of changes to their accounts.
    package var noticesEnabled = true

    /// Whether a settings flow sends codes to addresses that it adds.
    package var verificationAfterSettings = false

    /// Whether a settings flow saves a new address only after it is verified; such a flow can add one address
    /// at a time.
    package var verificationBeforeChange = false

    /// The page of the operator's app for entering a recovery code; the `flow` parameter is appended to its
    /// query.
    ///
    /// `nil` makes recovery links point to the flow itself.
    package var recoveryPage: String?

    /// Whether users may recover their account with a one-time code.
    package var recoveryEnabled = true

    /// Whether users may verify their addresses with a one-time code.
    package var verificationEnabled = true

    /// Whether users may log in and register with a one-time code, if their schema has addresses for it.
    package var codeEnabled = true

    /// Whether a request for a login code reveals that no such account exists, as it does in Kratos.
    ///
    /// The default prevents account enumeration: unknown accounts get the same answer as known ones.
    package var tellsUnknownAccounts = false

    /// Whether users may log in before one of their addresses is verified.
    package var verifiedAddress = VerifiedAddressRule.optional

    /// Whether a duplicate-registration error lists the login methods of the existing account.
    package var loginHints = false

    /// The age of a login up to which its session may change what protects the account.
    ///
    /// Older sessions have to re-authenticate first.
    package var privilegedSessionAge: Duration = .seconds(3600)

    /// Whether setting a new password revokes the other sessions of the account.
    package var newPasswordEndsSessions = true

    /// The lifespan of sessions.
    package var sessionLifespan: Duration = .seconds(30 * 86_400)

    /// The lifespan of sessions that still lack their device certificate.
    package var provisionalSessionLifespan: Duration = .seconds(900)

    /// The time after a login in which its session may enrol a device key that the login did not prove.
    package var enrolmentWindow: Duration = .seconds(300)

    /// The prefix of session tokens.
    package var sessionTokenPrefix = "lk_st_"

    /// Whether users may register; `false` closes registration for all schemas.
    package var registrationEnabled = true

    /// Whether users may log in with a password.
    package var passwordEnabled = true

    /// The maximum length of a password, in bytes; longer ones are rejected before they are hashed.
    package var maximumPasswordLength = 1024

    /// The number of occurrences in breaches up to which a new password is accepted.
    ///
    /// It has no effect without a list of breached passwords (``ServerContext/breaches``).
    package var toleratedBreaches = 0

    /// The lifespan of one-time codes.
    package var codeLifespan: Duration = .seconds(600)

    /// The number of guesses allowed for each one-time code.
    package var codeAttempts = 5

    /// The maximum time that a request waits for the first delivery attempt of its message.
    package var deliveryWait: Duration = .seconds(5)

    /// The lifespan of device certificates.
    package var certificateLifespan: Duration = .seconds(90 * 86_400)

    /// The `aud` claim of access tokens; `nil` means ``baseURL``.
    package var tokenAudience: String?

    /// The `client_id` of the token endpoint's clients.
    package var clientID = "latchkey"

    /// The lifespan of access tokens.
    package var accessTokenLifespan: Duration = .seconds(600)

    /// The prefix of refresh tokens.
    package var refreshTokenPrefix = "lk_rt_"

    /// The time for which a key signs access tokens before it is rotated.
    package var signingKeyLifespan: Duration = .seconds(30 * 86_400)

    /// The time for which a key is published in the key set before it signs.
    package var signingKeyNotice: Duration = .seconds(86_400)

    /// The retention periods and batch size of the clean-up.
    package var cleanUp = CleanUpOptions()

    /// The rate limits, which are counted across all flows.
    package var limits = LimitRules()

    package init() {}

    /// Returns the language of messages and forms for a request.
    ///
    /// - Parameter acceptLanguage: The value of the `Accept-Language` header field; `nil` if the request has
    ///   none.
    /// - Returns: The preferred available language, or ``language`` if none matches.
    package func language(for acceptLanguage: String?) -> Language {
        acceptLanguage.flatMap { Language(acceptLanguage: $0) } ?? language
    }

    /// Returns whether registration is enabled, open by the schema's own policy, and allowed for the schema.
    func isRegistrationOpen(for schema: IdentitySchema) -> Bool {
        registrationEnabled && schema.policy.isOpen
            && (registrationSchemas?.contains(schema.id) ?? (schema.id == defaultSchema))
    }

    /// Returns the lifespan of flows of a kind.
    package func lifespan(of kind: FlowKind) -> Duration {
        switch kind {
        case .login, .registration: flowLifespan
        case .settings, .recovery, .verification: accountFlowLifespan
        }
    }

    /// The base path without a trailing slash; empty if the self-service API is served at the root.
    package var normalizedBasePath: String {
        basePath.hasSuffix("/") ? String(basePath.dropLast()) : basePath
    }

    /// The `aud` claim of access tokens: ``tokenAudience``, or ``baseURL`` by default.
    package var audience: String { tokenAudience ?? baseURL }

    /// The `max-age` of the published key set, in seconds.
    ///
    /// It is one hour, but at most half of ``signingKeyNotice``, so that caches are refreshed before a new
    /// key signs.
    package var keySetMaxAge: Int64 {
        min(.seconds(3600), signingKeyNotice / 2).components.seconds
    }

    /// The public URL of the self-service API.
    package var selfServiceURL: String {
        baseURL + normalizedBasePath
    }
}

/// The reaction to a sign-up by code with an address that is already proven on another account.
package enum ExistingAccountRule: String, Sendable, CaseIterable {
    /// Refuses the sign-up with message 4000007.
    case refuse
    /// Logs the caller in to the existing account, if its schema allows logins by code.
    case logIn = "log_in"
}

/// The number of steps in which registration collects its fields (Kratos's `style`).
package enum RegistrationStyle: String, Sendable, CaseIterable {
    /// Traits and credentials are submitted in one form.
    case unified
    /// Traits are submitted first; the form for credentials follows.
    case profileFirst = "profile_first"
}
