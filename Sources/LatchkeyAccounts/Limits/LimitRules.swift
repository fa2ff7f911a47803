/// The rate limits of a server, with a rule for each kind of event.
///
/// Limits per network are meant for a single IP address. See ``Network`` for the treatment of IPv6 prefixes.
package struct LimitRules: Hashable, Sendable {
    private static let onceADay = LimitRule.sliding([Rate(1, per: .seconds(86_400))])

    /// Windows that aren't longer than this only keep apart two codes to one address.
    ///
    /// They make another network wait silently, whereas longer waits are announced.
    private static let longestSpacing: Duration = .seconds(60)

    /// How long a block isn't new after a number was proven from it.
    private static let blockMemory: Duration = .seconds(30 * 86_400)

    /// The most proofs per day that raise the limit of a calling code.
    private static let mostProofs = 1000

    /// The limit on wrong passwords for one account from one network.
    ///
    /// The limit also applies to accounts that don't exist.
    package let failuresPerNetwork: LimitRule

    private let codesPerPhone: LimitRule
    private let codeSpacing: LimitRule
    private let callingCodes: CallingCodeLimits
    private let textsPerBlock: LimitRule
    private let formsPerAddress: LimitRule
    private let renewalsPerSession: LimitRule
    private let codesOnKnownNetworks: LimitRule
    private let codesPerAddress: LimitRule
    private let wrongCodesPerPhone: LimitRule
    private let wrongCodesOnKnownNetworks: LimitRule
    private let failuresPerAccount: LimitRule
    private let failuresPerAddress: LimitRule
    private let accountsPerAddress: LimitRule
    private let registrationsPerAddress: LimitRule
    private let changesPerAccount: LimitRule
    private let enrolmentsPerSession: LimitRule
    private let exportsPerAccount: LimitRule
    private let ordersPerAccount: LimitRule
    private let paymentMethodsPerAccount: LimitRule
    private let paymentMethodsPerAddress: LimitRule
    private let restoresPerAccount: LimitRule
    private let historiesPerAccount: LimitRule
    private let noticeTextsPerAccount: LimitRule

    /// The limit on text messages to each of the two groups of addresses, divided into shares.
    ///
    /// Each group can use up to half of ``LimitSettings/textMessages``.
    let textMessageShares: ShardedLimit

    /// The part of ``textMessageShares`` that new blocks can use.
    let newBlockShares: ShardedLimit

    /// Creates the rules from settings.
    ///
    /// The limit on all text messages is divided into two halves, one for proven addresses and one for all
    /// others. Each half is divided into shares.
    package init(_ settings: LimitSettings = LimitSettings()) {
        codesPerPhone = .sliding(settings.codesPerPhone.filter { $0.window > Self.longestSpacing })
        codeSpacing = .sliding(settings.codesPerPhone.filter { $0.window <= Self.longestSpacing })
        codesOnKnownNetworks = .sliding(settings.codesOnKnownNetworks)
        codesPerAddress = settings.codesPerAddress.map { .bucket($0) } ?? .lifted
        callingCodes = CallingCodeLimits(
            rates: settings.textsPerCallingCode,
            gain: settings.textsPerProvenNumber,
            blockPercent: settings.blockShareOfCallingCode
        )
        textsPerBlock = .sliding(settings.textMessages.map { $0.percent(settings.blockShare) })
        formsPerAddress = .sliding(settings.formsPerAddress)
        renewalsPerSession = .sliding(settings.renewalsPerSession)
        wrongCodesPerPhone = .sliding(settings.wrongCodesPerPhone)
        wrongCodesOnKnownNetworks = .sliding(settings.wrongCodesOnKnownNetworks)
        failuresPerAccount = .sliding(settings.failuresPerAccount)
        failuresPerAddress = .sliding(settings.failuresPerAddress)
        accountsPerAddress = .sliding(settings.accountsPerAddress)
        registrationsPerAddress = .sliding(settings.registrationsPerAddress)
        changesPerAccount = .sliding(settings.changesPerAccount)
        enrolmentsPerSession = .sliding(settings.enrolmentsPerSession)
        exportsPerAccount = .sliding(settings.exportsPerAccount)
        ordersPerAccount = .sliding(settings.ordersPerAccount)
        paymentMethodsPerAccount = .sliding(settings.paymentMethodsPerAccount)
        paymentMethodsPerAddress = .sliding(settings.paymentMethodsPerAddress)
        restoresPerAccount = .sliding(settings.restoresPerAccount)
        historiesPerAccount = .sliding(settings.historiesPerAccount)
        noticeTextsPerAccount = .sliding(settings.noticeTextsPerAccount)
        failuresPerNetwork = .growingWaits(
            free: settings.freeFailures,
            first: settings.firstWait,
            longest: settings.longestWait,
            memory: settings.failureMemory
        )
        let unproven = settings.textMessages.map { $0.percent(50) }
        textMessageShares = ShardedLimit(of: unproven)
        newBlockShares = ShardedLimit(of: unproven.map { $0.percent(100 - settings.provenBlockShare) })
    }

    /// The rule that limits how often an event may occur.
    ///
    /// IPv6 networks that may contain more than one subscriber have higher limits.
    subscript(event: LimitedEvent) -> LimitRule {
        switch event {
        case .code: codesPerPhone
        case .codeSpacing, .codeOnNetwork: codeSpacing
        case .codeInReserve: codesOnKnownNetworks
        case .codeFromNetwork(let network): codesPerAddress.multiplied(by: network.allowance)
        case .guess: wrongCodesPerPhone
        case .guessInReserve: wrongCodesOnKnownNetworks
        case .failure, .failureOnKnownNetwork: failuresPerAccount
        case .failureOnNetwork: failuresPerNetwork
        case .failureFromNetwork(let network): failuresPerAddress.multiplied(by: network.allowance)
        case .accountFailedFromNetwork(let network): accountsPerAddress.multiplied(by: network.allowance)
        case .registration(let network): registrationsPerAddress.multiplied(by: network.allowance)
        case .textMessage: textMessageShares.rule
        case .textMessageFromNewBlock: newBlockShares.rule
        case .textMessageFromBlock: textsPerBlock
        case .textMessageToCallingCode(_, let proven): callingCodes.rule(proven: proven)
        case .textMessageFromBlockToCallingCode(_, _, let proven): callingCodes.blockRule(proven: proven)
        case .phoneProven: Self.onceADay
        case .callingCodeProven: .sliding([Rate(Self.mostProofs, per: .seconds(86_400))])
        // The block is marked once a day at most, to save writes.
        case .blockProven: .sliding([Rate(1, per: .seconds(86_400)), Rate(31, per: Self.blockMemory)])
        case .waitsEnded:
            failuresPerNetwork.isLifted ? .lifted : .sliding([Rate(1, per: failuresPerNetwork.horizon)])
        case .keptForm(let network): formsPerAddress.multiplied(by: network.allowance)
        case .renewal: renewalsPerSession
        case .accountChange: changesPerAccount
        case .noticeText: noticeTextsPerAccount
        case .deviceNoticeText, .refusedEntryNotice: Self.onceADay
        case .enrolment: enrolmentsPerSession
        case .export: exportsPerAccount
        case .order: ordersPerAccount
        case .paymentMethod: paymentMethodsPerAccount
        case .paymentMethodFromNetwork(let network):
            paymentMethodsPerAddress.multiplied(by: network.allowance)
        case .restore: restoresPerAccount
        case .history: historiesPerAccount
        }
    }
}

extension Rate {
    /// A part of this rate, rounded down to a whole count of at least 1.
    func percent(_ percent: Int) -> Rate { Rate(max(1, count * percent / 100), per: window) }
}
