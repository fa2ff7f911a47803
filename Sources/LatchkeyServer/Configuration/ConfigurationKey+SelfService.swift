extension ConfigurationKey {
    /// The settings of self-service flows.
    static let selfService = [
        ConfigurationKey(
            "flows.account_lifespan",
            \.lifespans.accountFlow,
            .duration(.seconds(1) ... .seconds(86_400)),
            "The lifespan of settings, recovery and verification flows."
        ),
        ConfigurationKey(
            "flows.default_return_url",
            \.selfService.defaultReturnURL,
            .optional(.text),
            "The return URL of flows that specify none. Defaults to the server's own URL."
        ),
        ConfigurationKey(
            "flows.texts",
            \.selfService.texts,
            .optional(.text),
            "A folder of custom form texts: LANGUAGE.json (en, nb, sv, fi), an object that maps each English text to yours."
        ),
        ConfigurationKey(
            "registration.style",
            \.selfService.registrationStyle,
            .choice,
            "How registration presents its fields: all in one form, or first the traits and then a credential."
        ),
        ConfigurationKey(
            "registration.session",
            \.selfService.sessionAfterRegistration,
            .toggle,
            "Whether a registration creates a session."
        ),
        ConfigurationKey(
            "registration.verification",
            \.selfService.verificationAfterRegistration,
            .toggle,
            "Whether a registration sends verification codes to addresses that it did not verify."
        ),
        ConfigurationKey(
            "registration.schemas",
            \.selfService.registrationSchemas,
            .list,
            "The identity schemas that users may register with. Defaults to the default schema only."
        ),
        ConfigurationKey(
            "registration.existing",
            \.selfService.existingAccount,
            .choice,
            "The result of a sign-up by code whose address is already verified on an account: refuse it, or log_in to that account."
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
            "Whether the error for a duplicate registration lists the login methods of the existing account."
        ),
        ConfigurationKey(
            "login.verified_address",
            \.selfService.verifiedAddress,
            .choice,
            "Whether login requires a verified address: optional, required or required_in_form."
        ),
        ConfigurationKey(
            "codes.login",
            \.selfService.codeLogin,
            .toggle,
            "Whether users may log in and register with a one-time code, if their identity schema has addresses for it."
        ),
        ConfigurationKey(
            "codes.tell_unknown_accounts",
            \.selfService.tellsUnknownAccounts,
            .toggle,
            "Whether a request for a login code reports that no such account exists."
        ),
        ConfigurationKey(
            "recovery.enabled",
            \.selfService.recovery,
            .toggle,
            "Whether users may recover their account with a code."
        ),
        ConfigurationKey(
            "verification.enabled",
            \.selfService.verification,
            .toggle,
            "Whether users may verify their addresses with a code."
        ),
        ConfigurationKey(
            "settings.verification",
            \.selfService.verificationAfterSettings,
            .toggle,
            "Whether a settings change sends verification codes to new addresses."
        ),
        ConfigurationKey(
            "settings.verified_first",
            \.selfService.verificationBeforeChange,
            .toggle,
            "Whether a new address must be verified before it replaces the old one; one address per change."
        ),
        ConfigurationKey(
            "settings.privileged_age",
            \.selfService.privilegedAge,
            .duration(.seconds(1) ... .seconds(366 * 86_400)),
            "How long after a login the session is privileged and may change credentials and login addresses."
        ),
        ConfigurationKey(
            "settings.password_ends_sessions",
            \.selfService.newPasswordEndsSessions,
            .toggle,
            "Whether a password change revokes the other sessions of the account."
        ),
    ]
}
