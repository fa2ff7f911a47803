extension ConfigurationKey {
    /// The settings of self-service flows.
    static let selfService = [
        ConfigurationKey(
            "flows.account_lifespan",
            \.lifespans.accountFlow,
            .duration(.seconds(1) ... .seconds(86_400)),
            "How long a change of settings, a recovery or a verification may take."
        ),
        ConfigurationKey(
            "flows.default_return_url",
            \.selfService.defaultReturnURL,
            .optional(.text),
            "Where a flow leads when it is over and named no place itself; the server's own address when not set."
        ),
        ConfigurationKey(
            "flows.texts",
            \.selfService.texts,
            .optional(.text),
            "A folder of your own words for forms: LANGUAGE.json (en, nb, sv, fi), an object of English text to yours."
        ),
        ConfigurationKey(
            "registration.style",
            \.selfService.registrationStyle,
            .choice,
            "How registration asks for its fields: all in one form, or traits first and then a credential."
        ),
        ConfigurationKey(
            "registration.session",
            \.selfService.sessionAfterRegistration,
            .toggle,
            "Whether a registration opens a session."
        ),
        ConfigurationKey(
            "registration.verification",
            \.selfService.verificationAfterRegistration,
            .toggle,
            "Whether a registration sends codes to the addresses that it did not verify."
        ),
        ConfigurationKey(
            "registration.schemas",
            \.selfService.registrationSchemas,
            .list,
            "The identity schemas that users may register with; the default schema alone when not set."
        ),
        ConfigurationKey(
            "registration.existing",
            \.selfService.existingAccount,
            .choice,
            "What a sign-up by code does if the address is proven on an account: refuse it, or log_in to that account."
        ),
        ConfigurationKey(
            "notices.enabled",
            \.selfService.notices,
            .toggle,
            "Whether owners are notified of changes to their accounts and of new devices."
        ),
        ConfigurationKey(
            "registration.login_hints",
            \.selfService.loginHints,
            .toggle,
            "Whether whoever registers with an identifier that is taken is told how its owner logs in."
        ),
        ConfigurationKey(
            "login.verified_address",
            \.selfService.verifiedAddress,
            .choice,
            "Whether the address that a user logs in with must be verified: optional, required or required_in_form."
        ),
        ConfigurationKey(
            "codes.login",
            \.selfService.codeLogin,
            .toggle,
            "Whether people may log in and register by a code, where their schema has addresses for it."
        ),
        ConfigurationKey(
            "codes.tell_unknown_accounts",
            \.selfService.tellsUnknownAccounts,
            .toggle,
            "Whether asking for a code to log in with tells that there is no such account."
        ),
        ConfigurationKey(
            "recovery.enabled",
            \.selfService.recovery,
            .toggle,
            "Whether people may get back into their account by a code."
        ),
        ConfigurationKey(
            "verification.enabled",
            \.selfService.verification,
            .toggle,
            "Whether people may verify their addresses by a code."
        ),
        ConfigurationKey(
            "settings.verification",
            \.selfService.verificationAfterSettings,
            .toggle,
            "Whether a change of settings sends codes to the addresses that are new."
        ),
        ConfigurationKey(
            "settings.verified_first",
            \.selfService.verificationBeforeChange,
            .toggle,
            "Whether a new address is taken into an account only when it is verified, one at a time."
        ),
        ConfigurationKey(
            "settings.privileged_age",
            \.selfService.privilegedAge,
            .duration(.seconds(1) ... .seconds(366 * 86_400)),
            "For how long after a login its session may change what protects the account."
        ),
        ConfigurationKey(
            "settings.password_ends_sessions",
            \.selfService.newPasswordEndsSessions,
            .toggle,
            "Whether a new password ends the other sessions of its account."
        ),
    ]
}
