extension ConfigurationKey {
    /// How often things may happen.
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
            "How many text messages may go out in all, for what they cost; whoever uses it up keeps the others waiting."
        ),
        ConfigurationKey(
            "limits.wrong_codes_per_phone",
            \.limits.wrongCodesPerPhone,
            .rates,
            "Wrong guesses at the codes of one phone."
        ),
        ConfigurationKey(
            "limits.failures_per_address",
            \.limits.failuresPerAddress,
            .rates,
            "Failed passwords from one network address."
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
            "Failed passwords of one account before there is a wait."
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
            "For how long a failed password counts."
        ),
    ]
}
