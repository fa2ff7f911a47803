package import LatchkeyServerKit

/// The rate limits for phone numbers, accounts and network addresses, across all flows.
///
/// An empty list disables a limit.
///
/// A limit per address applies to an IPv4 address or an IPv6 /64. The limits for a /56 and a /48 are two and
/// four times as high.
///
/// A list may contain several rates. An event is allowed only if it exceeds none of them.
public struct LimitSettings: Sendable {
    /// The limits on codes that are sent to one phone number.
    ///
    /// The same limits apply to each mailbox, which is counted separately.
    public var codesPerPhone = [
        Rate(1, per: .seconds(30)), Rate(5, per: .seconds(3600)), Rate(10, per: .seconds(86_400)),
    ]

    /// The limits on codes that are requested from one address.
    ///
    /// Mail that a registration triggers is not counted, because the registration itself is counted.
    public var codesPerAddress = [Rate(30, per: .seconds(3600))]

    /// The limits on text messages to all phone numbers together, which cap the cost.
    ///
    /// Half of the messages are reserved for verified addresses.
    public var textMessages = [Rate(1000, per: .seconds(3600))]

    /// The limits on wrong codes for one phone number.
    ///
    /// A correct code is not counted. The same limits apply to each mailbox.
    public var wrongCodesPerPhone = [Rate(10, per: .seconds(86_400))]

    /// The limits on additional codes from known networks of the account, after ``codesPerPhone`` is reached.
    public var codesOnKnownNetworks = [Rate(1, per: .seconds(30)), Rate(3, per: .seconds(86_400))]

    /// The limits on additional wrong codes from known networks of the account, after ``wrongCodesPerPhone``
    /// is reached.
    public var wrongCodesOnKnownNetworks = [Rate(5, per: .seconds(86_400))]

    /// The limits on wrong passwords for one account.
    ///
    /// All unknown networks are counted together, and each known network separately.
    public var failuresPerAccount = [Rate(60, per: .seconds(86_400))]

    /// The limits on the number of accounts with failed logins from one address.
    ///
    /// These limits slow down attacks that try one common password on many accounts. Known networks of an
    /// account are exempt.
    public var accountsPerAddress = [Rate(10, per: .seconds(3600))]

    /// The limits on registrations from one address, including rejected ones.
    public var registrationsPerAddress = [
        Rate(60, per: .seconds(10)), Rate(250, per: .seconds(3600)),
    ]

    /// The limits on changes of the password, the identifiers and the addresses of one account.
    ///
    /// Rejected changes are counted as well.
    public var changesPerAccount = [Rate(20, per: .seconds(3600))]

    /// The limits on wrong passwords from one address.
    public var failuresPerAddress = [Rate(100, per: .seconds(3600))]

    /// The limits on certificates that are issued to one session, including renewals.
    public var enrolmentsPerSession = [Rate(20, per: .seconds(86_400))]

    /// Exports of the data of one account.
    public var exportsPerAccount = [Rate(5, per: .seconds(86_400))]

    /// Orders of one account, without repetitions of the same order.
    public var ordersPerAccount = [Rate(60, per: .seconds(600)), Rate(500, per: .seconds(86_400))]

    /// Payment methods that are added to one account, including rejected ones.
    public var paymentMethodsPerAccount = [Rate(20, per: .seconds(3600))]

    /// Payment methods that are added from one address, including rejected ones.
    public var paymentMethodsPerAddress = [Rate(60, per: .seconds(3600))]

    /// Requests to restore the purchases of one account.
    public var restoresPerAccount = [Rate(60, per: .seconds(3600))]

    /// Purchase histories that are signed for one account.
    public var historiesPerAccount = [Rate(60, per: .seconds(3600))]

    /// Wrong passwords for one account from one network before the first wait.
    ///
    /// The value must be between 1 and 1,000,000. A successful login resets the count.
    public var freeFailures = 5

    /// The first wait after ``freeFailures``, which each further failure doubles.
    ///
    /// The value must be between zero and 1 day.
    public var firstWait: Duration = .seconds(60)

    /// The longest wait; zero disables the limit.
    ///
    /// The value must be at most 1 day.
    public var longestWait: Duration = .seconds(3600)

    /// How long a wrong password counts toward the wait on its network.
    ///
    /// The value must be between 1 minute and 366 days.
    public var failureMemory: Duration = .seconds(86_400)

    /// The limits on notices to one account that are sent as text messages.
    package var noticeTextsPerAccount = [Rate(3, per: .seconds(86_400))]

    /// Creates settings with default values.
    public init() {}

    /// Settings without limits, for load tests.
    ///
    /// The waits after wrong passwords are disabled as well. Only the limits on notices to one account still
    /// apply.
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
        settings.exportsPerAccount = []
        settings.ordersPerAccount = []
        settings.paymentMethodsPerAccount = []
        settings.paymentMethodsPerAddress = []
        settings.restoresPerAccount = []
        settings.historiesPerAccount = []
        settings.longestWait = .zero
        return settings
    }()

    /// The configuration settings for rate limits.
    ///
    /// Operators cannot disable ``noticeTextsPerAccount``, which is not part of the list.
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
            "limits.exports_per_account",
            member: \.exportsPerAccount,
            kind: .rates,
            summary: "Exports of the data of one account."
        ),
        Setting(
            "limits.orders_per_account",
            member: \.ordersPerAccount,
            kind: .rates,
            summary: "Orders of one account, without repetitions of the same order."
        ),
        Setting(
            "limits.payment_methods_per_account",
            member: \.paymentMethodsPerAccount,
            kind: .rates,
            summary: "Payment methods added to one account, including rejected ones."
        ),
        Setting(
            "limits.payment_methods_per_address",
            member: \.paymentMethodsPerAddress,
            kind: .rates,
            summary: "Payment methods added from one network address, including rejected ones."
        ),
        Setting(
            "limits.restores_per_account",
            member: \.restoresPerAccount,
            kind: .rates,
            summary: "Requests to restore the purchases of one account."
        ),
        Setting(
            "limits.histories_per_account",
            member: \.historiesPerAccount,
            kind: .rates,
            summary: "Purchase histories signed for one account."
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
