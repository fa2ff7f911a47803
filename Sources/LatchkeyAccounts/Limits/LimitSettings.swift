package import LatchkeyServerKit

/// Rate limits for phone numbers, accounts and network addresses, across all flows; an empty list disables a
/// limit.
///
/// A limit per address applies to an IPv4 address or an IPv6 /64. The limits for a /56 and a /48 are two and
/// four times as high.
///
/// A list may contain several rates. An event is allowed only if it exceeds none of them.
public struct LimitSettings: Sendable {
    /// Codes sent to one phone number.
    ///
    /// The same limits apply to each mailbox, which is counted separately.
    public var codesPerPhone = [
        Rate(1, per: .seconds(30)), Rate(5, per: .seconds(3600)), Rate(10, per: .seconds(86_400)),
    ]

    /// Codes requested from one address.
    ///
    /// Mail that a registration triggers is not counted, because the registration itself is.
    public var codesPerAddress = [Rate(30, per: .seconds(3600))]

    /// Text messages to all phone numbers together, to cap their cost; half of them are reserved for verified
    /// addresses.
    public var textMessages = [Rate(1000, per: .seconds(3600))]

    /// Wrong codes entered for one phone number.
    ///
    /// A correct code is not counted. The same limits apply to each mailbox.
    public var wrongCodesPerPhone = [Rate(10, per: .seconds(86_400))]

    /// Codes beyond ``codesPerPhone`` that can be requested from a known network of the account.
    public var codesOnKnownNetworks = [Rate(1, per: .seconds(30)), Rate(3, per: .seconds(86_400))]

    /// Wrong codes beyond ``wrongCodesPerPhone`` that can be entered from known networks of the account.
    public var wrongCodesOnKnownNetworks = [Rate(5, per: .seconds(86_400))]

    /// Wrong passwords for one account: from all unknown networks together, and from each known network.
    public var failuresPerAccount = [Rate(60, per: .seconds(86_400))]

    /// Different accounts with failed logins from one address.
    ///
    /// It slows down attacks that try one common password on many accounts. Known networks of an account are
    /// exempt.
    public var accountsPerAddress = [Rate(10, per: .seconds(3600))]

    /// Registrations from one address, including rejected ones.
    public var registrationsPerAddress = [
        Rate(60, per: .seconds(10)), Rate(250, per: .seconds(3600)),
    ]

    /// Changes of the password, identifiers and addresses of one account, including rejected ones.
    public var changesPerAccount = [Rate(20, per: .seconds(3600))]

    /// Wrong passwords from one address.
    public var failuresPerAddress = [Rate(100, per: .seconds(3600))]

    /// Certificates issued to one session, including renewals.
    public var enrolmentsPerSession = [Rate(20, per: .seconds(86_400))]

    /// Wrong passwords for one account from one network before the first wait.
    ///
    /// Must be between 1 and 1,000,000. A successful login resets the count.
    public var freeFailures = 5

    /// The first wait after ``freeFailures``; each further failure doubles it.
    ///
    /// Must be between zero and 1 day.
    public var firstWait: Duration = .seconds(60)

    /// The longest wait; zero disables the limit.
    ///
    /// Must be at most 1 day.
    public var longestWait: Duration = .seconds(3600)

    /// How long a wrong password counts towards the wait on its network.
    ///
    /// Must be between 1 minute and 366 days.
    public var failureMemory: Duration = .seconds(86_400)

    /// Notices to one account that are sent as text messages.
    package var noticeTextsPerAccount = [Rate(3, per: .seconds(86_400))]

    /// Creates settings with default values.
    public init() {}

    /// Settings without limits, for load tests; only the limits for notices to one account still apply.
    ///
    /// The waits after wrong passwords are disabled as well.
    package static let unlimited = {
        var settings = LimitSettings()
        settings.codesPerPhone = []
        settings.codesPerAddress = []
        settings.textMessages = []
        settings.wrongCodesPerPhone = []
        settings.codesOnKnownNetworks = []
        settings.wrongCodesOnKnownNetworks = []
        settings.failuresPerAddress = []
        settings.accountsPerAddress = []
        settings.failuresPerAccount = []
        settings.registrationsPerAddress = []
        settings.changesPerAccount = []
        settings.enrolmentsPerSession = []
        settings.longestWait = .zero
        return settings
    }()

    /// The keys, kinds and summaries of these settings.
    ///
    /// ``noticeTextsPerAccount`` is not listed here, so operators cannot disable it.
    package static let settings: [Setting<LimitSettings>] = [
        Setting(
            "limits.codes_per_phone",
            member: \.codesPerPhone,
            kind: .rates,
            summary: "Codes sent to one phone number."
        ),
        Setting(
            "limits.codes_per_address",
            member: \.codesPerAddress,
            kind: .rates,
            summary: "Codes requested from one network address."
        ),
        Setting(
            "limits.text_messages",
            member: \.textMessages,
            kind: .rates,
            summary:
                "Text messages in total, to cap their cost; half of them are reserved for verified addresses."
        ),
        Setting(
            "limits.wrong_codes_per_phone",
            member: \.wrongCodesPerPhone,
            kind: .rates,
            summary: "Wrong codes entered for one phone number."
        ),
        Setting(
            "limits.codes_on_known_networks",
            member: \.codesOnKnownNetworks,
            kind: .rates,
            summary: "Codes beyond codes_per_phone that can be requested from known networks of the account."
        ),
        Setting(
            "limits.wrong_codes_on_known_networks",
            member: \.wrongCodesOnKnownNetworks,
            kind: .rates,
            summary:
                "Wrong codes beyond wrong_codes_per_phone that can be entered from known networks of the account."
        ),
        Setting(
            "limits.failures_per_account",
            member: \.failuresPerAccount,
            kind: .rates,
            summary:
                "Wrong passwords for one account: from all unknown networks together, and from each known network."
        ),
        Setting(
            "limits.accounts_per_address",
            member: \.accountsPerAddress,
            kind: .rates,
            summary: "Different accounts with failed logins from one network address."
        ),
        Setting(
            "limits.registrations_per_address",
            member: \.registrationsPerAddress,
            kind: .rates,
            summary: "Registrations from one network address, including rejected ones."
        ),
        Setting(
            "limits.changes_per_account",
            member: \.changesPerAccount,
            kind: .rates,
            summary: "Changes to the password, identifiers and addresses of one account."
        ),
        Setting(
            "limits.failures_per_address",
            member: \.failuresPerAddress,
            kind: .rates,
            summary: "Wrong passwords from one network address."
        ),
        Setting(
            "limits.enrolments_per_session",
            member: \.enrolmentsPerSession,
            kind: .rates,
            summary: "Certificates issued to one session, including renewals."
        ),
        Setting(
            "limits.free_failures",
            member: \.freeFailures,
            kind: .number(1...1_000_000),
            summary:
                "How many wrong passwords for one account can be entered from one network without a wait."
        ),
        Setting(
            "limits.first_wait",
            member: \.firstWait,
            kind: .duration(.zero ... .seconds(86_400)),
            summary:
                "The wait after limits.free_failures wrong passwords; each further wrong password doubles it."
        ),
        Setting(
            "limits.longest_wait",
            member: \.longestWait,
            kind: .duration(.zero ... .seconds(86_400)),
            summary: "The longest wait after a wrong password; 0s disables all waits."
        ),
        Setting(
            "limits.failure_memory",
            member: \.failureMemory,
            kind: .duration(.seconds(60) ... .seconds(366 * 86_400)),
            summary:
                "How long a wrong password counts toward limits.free_failures and the length of the wait."
        ),
    ]
}
