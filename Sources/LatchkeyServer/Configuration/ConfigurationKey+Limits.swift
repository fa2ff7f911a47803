extension ConfigurationKey {
    /// The settings of rate limits.
    static let limits = [
        ConfigurationKey(
            "limits.codes_per_phone",
            \.limits.codesPerPhone,
            .rates,
            "Codes sent to one phone number."
        ),
        ConfigurationKey(
            "limits.codes_per_address",
            \.limits.codesPerAddress,
            .rates,
            "Codes requested from one network address."
        ),
        ConfigurationKey(
            "limits.text_messages",
            \.limits.textMessages,
            .rates,
            "Text messages in total, to cap their cost; half of them are reserved for verified addresses."
        ),
        ConfigurationKey(
            "limits.wrong_codes_per_phone",
            \.limits.wrongCodesPerPhone,
            .rates,
            "Wrong codes entered for one phone number."
        ),
        ConfigurationKey(
            "limits.codes_on_known_networks",
            \.limits.codesOnKnownNetworks,
            .rates,
            "Codes beyond codes_per_phone that can be requested from known networks of the account."
        ),
        ConfigurationKey(
            "limits.wrong_codes_on_known_networks",
            \.limits.wrongCodesOnKnownNetworks,
            .rates,
            "Wrong codes beyond wrong_codes_per_phone from known networks of the account."
        ),
        ConfigurationKey(
            "limits.failures_per_account",
            \.limits.failuresPerAccount,
            .rates,
            "Wrong passwords for one account: from all unknown networks together, and from each known network."
        ),
        ConfigurationKey(
            "limits.accounts_per_address",
            \.limits.accountsPerAddress,
            .rates,
            "Different accounts for which logins from one network address fail."
        ),
        ConfigurationKey(
            "limits.registrations_per_address",
            \.limits.registrationsPerAddress,
            .rates,
            "Registrations from one network address, including rejected ones."
        ),
        ConfigurationKey(
            "limits.changes_per_account",
            \.limits.changesPerAccount,
            .rates,
            "Changes of the password, identifiers and addresses of one account."
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
            "Certificates issued to one session, including renewals."
        ),
        ConfigurationKey(
            "limits.free_failures",
            \.limits.freeFailures,
            .number(1...1_000_000),
            "Wrong passwords for one account from one network before a wait is imposed."
        ),
        ConfigurationKey(
            "limits.first_wait",
            \.limits.firstWait,
            .duration(.zero ... .seconds(86_400)),
            "The first wait; each further failure doubles it."
        ),
        ConfigurationKey(
            "limits.longest_wait",
            \.limits.longestWait,
            .duration(.zero ... .seconds(86_400)),
            "The longest wait; 0s disables waits."
        ),
        ConfigurationKey(
            "limits.failure_memory",
            \.limits.failureMemory,
            .duration(.seconds(60) ... .seconds(366 * 86_400)),
            "How long a wrong password counts towards the wait on its network."
        ),
    ]
}
