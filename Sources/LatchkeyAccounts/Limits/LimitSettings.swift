package import LatchkeyServerKit

/// The rate limits for phone numbers, accounts and network addresses, across all flows.
///
/// Each limit is a list of rates. Events that would exceed any of the rates are rejected. An empty list means
/// that there is no limit.
///
/// Limits per address apply to an IPv4 address or an IPv6 /64. The limits for an IPv6 /56 are twice as high,
/// and those for an IPv6 /48 are four times as high.
public struct LimitSettings: Sendable {
    /// The limits on codes that are sent to one phone number.
    ///
    /// Mailboxes have the same limits, but are counted separately. Windows of up to a minute only keep two
    /// codes apart: a wait is announced to the network that has requested the earlier code, and other
    /// networks get the usual response without a message.
    public var codesPerPhone = [
        Rate(1, per: .seconds(30)), Rate(5, per: .seconds(3600)), Rate(10, per: .seconds(86_400)),
    ]

    /// The limit on codes that are requested from one address, or `nil` for no limit.
    ///
    /// Mail that is sent because of a registration doesn't count, because the registration itself is counted.
    /// The count is allowed at once, and then one code per interval, which is the window divided by the
    /// count.
    public var codesPerAddress: Rate? = Rate(30, per: .seconds(3600))

    /// The limits on the total number of text messages, which cap the cost of sending them.
    ///
    /// Half of the messages are reserved for verified addresses.
    public var textMessages = [Rate(1000, per: .seconds(3600))]

    /// The limits on text messages to unverified numbers with one calling code.
    ///
    /// They apply only if text messages are sent through a provider and no calling codes are listed
    /// (`courier.calling_codes`).
    public var textsPerCallingCode = [Rate(15, per: .seconds(3600))]

    /// How many text messages each number that was verified within the last day adds to
    /// ``textsPerCallingCode`` of its calling code.
    ///
    /// The value must be between 0 and 1000.
    public var textsPerProvenNumber = 10

    /// The percentage of ``textsPerCallingCode`` that one IPv4 /16 or IPv6 /32 can use.
    ///
    /// The value must be between 1 and 100.
    public var blockShareOfCallingCode = 50

    /// The percentage of ``textMessages`` that one IPv4 /16 or IPv6 /32 can use for unverified numbers.
    ///
    /// Applies only if text messages are sent through a provider. The value must be between 1 and 50.
    public var blockShare = 10

    /// The percentage of the messages to unverified numbers that is reserved for IPv4 /16s and IPv6 /32s from
    /// which a number was verified within the last 30 days.
    ///
    /// Applies only if text messages are sent through a provider. The value must be between 0 and 99.
    public var provenBlockShare = 50

    /// The limits on wrong codes for one phone number.
    ///
    /// Correct codes don't count towards these limits. Mailboxes have the same limits as phone numbers.
    public var wrongCodesPerPhone = [Rate(10, per: .seconds(86_400))]

    /// The limits on additional codes for the account's known networks once ``codesPerPhone`` has been
    /// reached.
    public var codesOnKnownNetworks = [Rate(3, per: .seconds(86_400))]

    /// The limits on additional wrong codes from the account's known networks once ``wrongCodesPerPhone`` has
    /// been reached.
    public var wrongCodesOnKnownNetworks = [Rate(5, per: .seconds(86_400))]

    /// The limits on wrong passwords for one account.
    ///
    /// All unknown networks share one count, and each known network has its own.
    public var failuresPerAccount = [Rate(60, per: .seconds(86_400))]

    /// The limits on the number of accounts for which a login from one address has failed.
    ///
    /// These limits slow down attackers who try one common password on many accounts. The limits don't apply
    /// to logins from an account's known networks.
    public var accountsPerAddress = [Rate(10, per: .seconds(3600))]

    /// The limits on registrations from one address, including rejected ones.
    public var registrationsPerAddress = [
        Rate(60, per: .seconds(10)), Rate(250, per: .seconds(3600)),
    ]

    /// The limits on changes to the password, the identifiers and the addresses of one account.
    ///
    /// Rejected changes also count towards the limits.
    public var changesPerAccount = [Rate(20, per: .seconds(3600))]

    /// The limits on wrong passwords from one address.
    public var failuresPerAddress = [Rate(100, per: .seconds(3600))]

    /// The limits on failed authentications of one OAuth client, and on codes that it fails to redeem, from one
    /// address.
    public var failuresPerClient = [Rate(20, per: .seconds(60))]

    /// The limits on authorization requests of OAuth clients that are stored for one address.
    public var authorizationsPerAddress = [Rate(60, per: .seconds(60)), Rate(600, per: .seconds(3600))]

    /// The limits on authorization requests that one OAuth client pushes from one address.
    public var pushedRequestsPerClient = [Rate(60, per: .seconds(60))]

    /// The limits on authorization requests of apps that one session answers.
    public var approvalsPerSession = [Rate(30, per: .seconds(3600))]

    /// The limits on codes with which one session is handed over to another client.
    public var handoversPerSession = [Rate(60, per: .seconds(3600))]

    /// The limits on codes with which sessions are handed over from one address.
    public var handoversPerAddress = [Rate(600, per: .seconds(3600))]

    /// The limits on certificates that are issued to one session, including renewals.
    public var enrolmentsPerSession = [Rate(20, per: .seconds(86_400))]

    /// The limits on forms that are stored for one address and belong to no account, such as rejected
    /// registrations.
    public var formsPerAddress = [Rate(120, per: .seconds(60)), Rate(1500, per: .seconds(3600))]

    /// The limits on requests for public information, such as that about an OAuth client, from one address.
    public var publicReadsPerAddress = [Rate(120, per: .seconds(60))]

    /// The limits on requests for the status of identifiers from one address.
    public var identifierStatusPerAddress = [Rate(10, per: .seconds(3600))]

    /// The limits on requests for the status of identifiers with the key of one device.
    public var identifierStatusPerKey = [Rate(10, per: .seconds(3600))]

    /// The limits on token renewals of one session.
    public var renewalsPerSession = [Rate(60, per: .seconds(60))]

    /// The limits on exports of one account's data.
    public var exportsPerAccount = [Rate(5, per: .seconds(86_400))]

    /// The limits on orders by one account.
    ///
    /// Repeating the same order doesn't count.
    public var ordersPerAccount = [Rate(60, per: .seconds(600)), Rate(500, per: .seconds(86_400))]

    /// The limits on payment methods that are added to one account, including rejected ones.
    public var paymentMethodsPerAccount = [Rate(20, per: .seconds(3600))]

    /// The limits on payment methods that are added from one address, including rejected ones.
    public var paymentMethodsPerAddress = [Rate(60, per: .seconds(3600))]

    /// The limits on requests to restore the purchases of one account.
    public var restoresPerAccount = [Rate(60, per: .seconds(3600))]

    /// The limits on purchase histories that are signed for one account.
    public var historiesPerAccount = [Rate(60, per: .seconds(3600))]

    /// How many wrong passwords for one account can be entered from one network before the user has to wait.
    ///
    /// The value must be between 1 and 1,000,000. A successful login resets the count.
    public var freeFailures = 5

    /// The wait after ``freeFailures`` wrong passwords.
    ///
    /// Every additional wrong password doubles the wait.
    ///
    /// The value must be between zero and 1 day.
    public var firstWait: Duration = .seconds(60)

    /// The longest wait.
    ///
    /// A value of zero disables all waits.
    ///
    /// The value must be at most 1 day.
    public var longestWait: Duration = .seconds(3600)

    /// How long a wrong password counts towards the wait on its network.
    ///
    /// The value must be between 1 minute and 366 days.
    public var failureMemory: Duration = .seconds(86_400)

    /// The limits on notices about one account that are sent as text messages.
    package var noticeTextsPerAccount = [Rate(3, per: .seconds(86_400))]

    /// Creates settings with default values.
    public init() {}

    /// Settings that disable all limits for load tests.
    ///
    /// Waits after wrong passwords are also disabled. Only the limits on notices about one account remain in
    /// effect.
    package static let unlimited = {
        var settings = LimitSettings()
        settings.codesPerPhone = []
        settings.codesPerAddress = nil
        settings.textsPerCallingCode = []
        settings.formsPerAddress = []
        settings.publicReadsPerAddress = []
        settings.identifierStatusPerAddress = []
        settings.identifierStatusPerKey = []
        settings.renewalsPerSession = []
        settings.textMessages = []
        settings.wrongCodesPerPhone = []
        settings.codesOnKnownNetworks = []
        settings.wrongCodesOnKnownNetworks = []
        settings.failuresPerAddress = []
        settings.accountsPerAddress = []
        settings.failuresPerAccount = []
        settings.failuresPerClient = []
        settings.authorizationsPerAddress = []
        settings.pushedRequestsPerClient = []
        settings.approvalsPerSession = []
        settings.handoversPerSession = []
        settings.handoversPerAddress = []
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
    /// Operators can't change ``noticeTextsPerAccount`` because it isn't in this list.
    package static let settings: [Setting<LimitSettings>] = [
        Setting(
            "limits.codes_per_phone",
            member: \.codesPerPhone,
            kind: .rates,
            summary: "How many codes can be sent to one phone number."
        ),
        Setting(
            "limits.codes_per_address",
            member: \.codesPerAddress,
            kind: .bucket,
            summary:
                "How many codes can be requested from one network address at once, and one more each time."
        ),
        Setting(
            "limits.texts_per_calling_code",
            member: \.textsPerCallingCode,
            kind: .rates,
            summary:
                "How many text messages can be sent to unverified numbers with one calling code, unless courier.calling_codes is set."
        ),
        Setting(
            "limits.texts_per_proven_number",
            member: \.textsPerProvenNumber,
            kind: .number(0...1000),
            summary:
                "How many text messages each number verified within a day adds to limits.texts_per_calling_code."
        ),
        Setting(
            "limits.block_share_of_calling_code",
            member: \.blockShareOfCallingCode,
            kind: .number(1...100),
            summary:
                "The percentage of limits.texts_per_calling_code that one IPv4 /16 or IPv6 /32 can use."
        ),
        Setting(
            "limits.block_share",
            member: \.blockShare,
            kind: .number(1...50),
            summary:
                "The percentage of limits.text_messages that one IPv4 /16 or IPv6 /32 can use for unverified numbers."
        ),
        Setting(
            "limits.proven_block_share",
            member: \.provenBlockShare,
            kind: .number(0...99),
            summary:
                "The percentage of the messages to unverified numbers that is reserved for IPv4 /16s and IPv6 /32s from which a number was recently verified."
        ),
        Setting(
            "limits.forms_per_address",
            member: \.formsPerAddress,
            kind: .rates,
            summary: "How many forms without an account can be stored for one network address."
        ),
        Setting(
            "limits.public_reads_per_address",
            member: \.publicReadsPerAddress,
            kind: .rates,
            summary:
                "How often one network address can request public information, such as that about a client."
        ),
        Setting(
            "limits.identifier_status_per_address",
            member: \.identifierStatusPerAddress,
            kind: .rates,
            summary: "How many requests for the status of identifiers one network address can send."
        ),
        Setting(
            "limits.identifier_status_per_key",
            member: \.identifierStatusPerKey,
            kind: .rates,
            summary: "How many requests for the status of identifiers one device can send."
        ),
        Setting(
            "limits.renewals_per_session",
            member: \.renewalsPerSession,
            kind: .rates,
            summary: "How often the tokens of one session can be renewed."
        ),
        Setting(
            "limits.text_messages",
            member: \.textMessages,
            kind: .rates,
            summary:
                "How many text messages can be sent in total; half are reserved for verified addresses."
        ),
        Setting(
            "limits.wrong_codes_per_phone",
            member: \.wrongCodesPerPhone,
            kind: .rates,
            summary: "How many wrong codes can be entered for one phone number."
        ),
        Setting(
            "limits.codes_on_known_networks",
            member: \.codesOnKnownNetworks,
            kind: .rates,
            summary: "How many codes known networks can request in addition to codes_per_phone."
        ),
        Setting(
            "limits.wrong_codes_on_known_networks",
            member: \.wrongCodesOnKnownNetworks,
            kind: .rates,
            summary:
                "How many wrong codes known networks can enter in addition to wrong_codes_per_phone."
        ),
        Setting(
            "limits.failures_per_account",
            member: \.failuresPerAccount,
            kind: .rates,
            summary:
                "How many wrong passwords one account allows per known network, and from all others together."
        ),
        Setting(
            "limits.accounts_per_address",
            member: \.accountsPerAddress,
            kind: .rates,
            summary: "How many different accounts can have failed logins from one network address."
        ),
        Setting(
            "limits.registrations_per_address",
            member: \.registrationsPerAddress,
            kind: .rates,
            summary: "How many registrations are allowed from one network address, including rejected ones."
        ),
        Setting(
            "limits.changes_per_account",
            member: \.changesPerAccount,
            kind: .rates,
            summary: "How often the password, identifiers and addresses of one account can be changed."
        ),
        Setting(
            "limits.failures_per_address",
            member: \.failuresPerAddress,
            kind: .rates,
            summary: "How many wrong passwords can be entered from one network address."
        ),
        Setting(
            "limits.failures_per_client",
            member: \.failuresPerClient,
            kind: .rates,
            summary:
                "How often one OAuth client can fail to authenticate or to redeem a code from one network address."
        ),
        Setting(
            "limits.authorizations_per_address",
            member: \.authorizationsPerAddress,
            kind: .rates,
            summary: "How many authorization requests of OAuth clients can be stored for one network address."
        ),
        Setting(
            "limits.pushed_requests_per_client",
            member: \.pushedRequestsPerClient,
            kind: .rates,
            summary: "How many authorization requests one OAuth client can push from one network address."
        ),
        Setting(
            "limits.approvals_per_session",
            member: \.approvalsPerSession,
            kind: .rates,
            summary: "How many authorization requests of other apps one session can answer."
        ),
        Setting(
            "limits.handovers_per_session",
            member: \.handoversPerSession,
            kind: .rates,
            summary: "How often one session can be handed over to another OAuth client."
        ),
        Setting(
            "limits.handovers_per_address",
            member: \.handoversPerAddress,
            kind: .rates,
            summary: "How often sessions can be handed over to OAuth clients from one network address."
        ),
        Setting(
            "limits.enrolments_per_session",
            member: \.enrolmentsPerSession,
            kind: .rates,
            summary: "How many certificates can be issued to one session, including renewals."
        ),
        Setting(
            "limits.exports_per_account",
            member: \.exportsPerAccount,
            kind: .rates,
            summary: "How often one account's data can be exported."
        ),
        Setting(
            "limits.orders_per_account",
            member: \.ordersPerAccount,
            kind: .rates,
            summary: "How many orders one account can place, not counting repetitions of the same order."
        ),
        Setting(
            "limits.payment_methods_per_account",
            member: \.paymentMethodsPerAccount,
            kind: .rates,
            summary: "How many payment methods can be added to one account, including rejected ones."
        ),
        Setting(
            "limits.payment_methods_per_address",
            member: \.paymentMethodsPerAddress,
            kind: .rates,
            summary: "How many payment methods one network address can add, including rejected ones."
        ),
        Setting(
            "limits.restores_per_account",
            member: \.restoresPerAccount,
            kind: .rates,
            summary: "How often the purchases of one account can be restored."
        ),
        Setting(
            "limits.histories_per_account",
            member: \.historiesPerAccount,
            kind: .rates,
            summary: "How often a purchase history can be signed for one account."
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
                "How long a wrong password counts towards limits.free_failures and the length of the wait."
        ),
    ]
}
