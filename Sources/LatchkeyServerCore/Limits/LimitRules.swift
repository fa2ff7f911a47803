/// The rate limits of a server, which apply across all flows.
///
/// The limits of a network are those of a single IP address; see ``Network`` for IPv6 prefixes.
package struct LimitRules: Hashable, Sendable {
    private static let day: Duration = .seconds(86_400)
    private static let hour: Duration = .seconds(3600)

    /// Codes sent to one phone number or mailbox.
    package var codesPerRecipient = LimitRule.sliding([
        LimitWindow(1, per: .seconds(30)), LimitWindow(5, per: hour), LimitWindow(10, per: day),
    ])

    /// Codes beyond ``codesPerRecipient`` that are requested from a known network of the account.
    package var codesInReserve = LimitRule.sliding([
        LimitWindow(1, per: .seconds(30)), LimitWindow(3, per: day),
    ])

    /// Codes requested from one IP address.
    package var codesPerAddress = LimitRule.sliding([LimitWindow(30, per: hour)])

    /// Wrong guesses at the codes of one phone number or mailbox.
    package var guessesPerRecipient = LimitRule.sliding([LimitWindow(10, per: day)])

    /// Wrong guesses beyond ``guessesPerRecipient`` from known networks of the account.
    package var guessesInReserve = LimitRule.sliding([LimitWindow(5, per: day)])

    /// Wrong passwords for one account from one network, whether the account exists or not.
    package var failuresPerNetwork = LimitRule.growingWaits(
        free: 5,
        first: .seconds(60),
        longest: hour,
        memory: day
    )

    /// Wrong passwords for one account from all unknown networks together, and from each known network.
    package var failuresPerAccount = LimitRule.sliding([LimitWindow(60, per: day)])

    /// Wrong passwords from one IP address.
    package var failuresPerAddress = LimitRule.sliding([LimitWindow(100, per: hour)])

    /// Different accounts for which one IP address enters wrong passwords or codes.
    package var accountsPerAddress = LimitRule.sliding([LimitWindow(10, per: hour)])

    /// Registrations from one IP address, including refused ones.
    package var registrationsPerAddress = LimitRule.sliding([
        LimitWindow(60, per: .seconds(10)), LimitWindow(250, per: hour),
    ])

    /// Changes of password, identifiers and addresses of one account, including refused ones.
    package var changesPerAccount = LimitRule.sliding([LimitWindow(20, per: hour)])

    /// Certificates issued for one session, including renewals.
    package var enrolmentsPerSession = LimitRule.sliding([LimitWindow(20, per: day)])

    /// Notices to one account that are sent as text messages.
    package var noticeTextsPerAccount = LimitRule.sliding([LimitWindow(3, per: day)])

    private static let onceADay = LimitRule.sliding([LimitWindow(1, per: day)])

    /// Text messages to all phone numbers together, to limit their cost; half of them are reserved for proven
    /// addresses.
    ///
    /// An empty list means no limit.
    package var textMessages = [LimitWindow(1000, per: hour)] {
        didSet { textMessageShares = LimitShares(of: textMessages.map(\.half)) }
    }

    /// The shares of either half of ``textMessages``.
    private(set) var textMessageShares = LimitShares(of: [LimitWindow(500, per: hour)])

    /// Creates the default limits.
    package init() {}

    /// The rules without limits, for load tests; only the limits of notices to one account still apply.
    package static let lifted = {
        var rules = LimitRules()
        rules.codesPerRecipient = .lifted
        rules.codesInReserve = .lifted
        rules.codesPerAddress = .lifted
        rules.guessesPerRecipient = .lifted
        rules.guessesInReserve = .lifted
        rules.failuresPerNetwork = .lifted
        rules.failuresPerAccount = .lifted
        rules.failuresPerAddress = .lifted
        rules.accountsPerAddress = .lifted
        rules.registrationsPerAddress = .lifted
        rules.changesPerAccount = .lifted
        rules.enrolmentsPerSession = .lifted
        rules.textMessages = []
        return rules
    }()

    /// The rule for an event, with larger limits for IPv6 networks that can contain more than one subscriber.
    subscript(event: LimitedEvent) -> LimitRule {
        switch event {
        case .code: codesPerRecipient
        case .codeInReserve: codesInReserve
        case .codeFromNetwork(let network): codesPerAddress.multiplied(by: network.allowance)
        case .guess: guessesPerRecipient
        case .guessInReserve: guessesInReserve
        case .failure, .failureOnKnownNetwork: failuresPerAccount
        case .failureOnNetwork: failuresPerNetwork
        case .failureFromNetwork(let network): failuresPerAddress.multiplied(by: network.allowance)
        case .accountFailedFromNetwork(let network): accountsPerAddress.multiplied(by: network.allowance)
        case .registration(let network): registrationsPerAddress.multiplied(by: network.allowance)
        case .textMessage: textMessageShares.rule
        case .accountChange: changesPerAccount
        case .noticeText: noticeTextsPerAccount
        case .deviceNoticeText, .refusedEntryNotice: Self.onceADay
        case .enrolment: enrolmentsPerSession
        }
    }
}

extension LimitWindow {
    /// Half of the window's count, but at least one.
    fileprivate var half: LimitWindow { LimitWindow(max(1, count / 2), per: length) }
}
