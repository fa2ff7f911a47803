extension ConfigurationKey {
    /// The settings of rate limits.
    static let limits = [
        ConfigurationKey(
            "limits.codes_per_phone",
            \.limits.codesPerPhone,
            .rates,
            "Codes sent to one phone."
        ),
        ConfigurationKey(
            "limits.codes_per_address",
            \.limits.codesPerAddress,
            .rates,
            "Codes that one network address asks for."
        ),
        ConfigurationKey(
            "limits.text_messages",
            \.limits.textMessages,
            .rates,
            "Text messages in all, for what they cost; half of them are reserved for proven addresses."
        ),
        ConfigurationKey(
            "limits.wrong_codes_per_phone",
            \.limits.wrongCodesPerPhone,
            .rates,
            "Wrong guesses at the codes of one phone."
        ),
        ConfigurationKey(
            "limits.codes_on_known_networks",
            \.limits.codesOnKnownNetworks,
            .rates,
            "Codes beyond codes_per_phone that known networks of the account can ask for."
        ),
        ConfigurationKey(
            "limits.wrong_codes_on_known_networks",
            \.limits.wrongCodesOnKnownNetworks,
            .rates,
            "Wrong guesses beyond wrong_codes_per_phone on known networks of the account."
        ),
        ConfigurationKey(
            "limits.failures_per_account",
            \.limits.failuresPerAccount,
            .rates,
            "Wrong passwords of one account on all unknown networks, and on each known network."
        ),
        ConfigurationKey(
            "limits.accounts_per_address",
            \.limits.accountsPerAddress,
            .rates,
            "Different accounts at which one network address fails."
        ),
        ConfigurationKey(
            "limits.registrations_per_address",
            \.limits.registrationsPerAddress,
            .rates,
            "Registrations from one network address, refused ones included."
        ),
        ConfigurationKey(
            "limits.changes_per_account",
            \.limits.changesPerAccount,
            .rates,
            "Changes of password, identifiers and addresses of one account."
        ),
        ConfigurationKey(
            "limits.failures_per_address",
            \.limits.failuresPerAddress,
            .rates,
            "Wrong passwords from one network address."
        ),
        ConfigurationKey(
            "limits.enrolments_per_session",
            \.limits.enrolmentsPerSession,
            .rates,
            "Certificates issued to one session, renewals included."
        ),
        ConfigurationKey(
            "limits.free_failures",
            \.limits.freeFailures,
            .number(1...1_000_000),
            "Wrong passwords of one account on one network before there is a wait."
        ),
        ConfigurationKey(
            "limits.first_wait",
            \.limits.firstWait,
            .duration(.zero ... .seconds(86_400)),
            "The wait after that; each further failure doubles it."
        ),
        ConfigurationKey(
            "limits.longest_wait",
            \.limits.longestWait,
            .duration(.zero ... .seconds(86_400)),
            "The longest wait; 0s lifts the limit."
        ),
        ConfigurationKey(
            "limits.failure_memory",
            \.limits.failureMemory,
            .duration(.seconds(60) ... .seconds(366 * 86_400)),
            "For how long a wrong password counts on its network."
        ),
    ]
}
