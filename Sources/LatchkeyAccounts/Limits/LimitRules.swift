/// The rate limits of a server, with a rule for each kind of event.
///
/// Limits per network are meant for a single IP address. See ``Network`` for the treatment of IPv6 prefixes.
package struct LimitRules: Hashable, Sendable {
    static let onceADay = LimitRule.sliding([Rate(1, per: .seconds(86_400))])

    /// The rule for proven numbers of a calling code, which doesn't limit anything.
    ///
    /// More than a thousand proofs a day don't raise the limit of a calling code any further.
    static let provenNumbers = LimitRule.sliding([Rate(1000, per: .seconds(86_400))])

    /// The rule for blocks from which a number was proven, which doesn't limit anything.
    ///
    /// A block isn't new for thirty days after that. It is marked once a day at most, to save writes.
    static let provenBlocks = LimitRule.sliding([
        Rate(1, per: .seconds(86_400)), Rate(31, per: .seconds(30 * 86_400)),
    ])

    /// Windows that aren't longer than this only keep apart two codes to one address.
    ///
    /// They make another network wait silently, whereas longer waits are announced.
    private static let longestSpacing: Duration = .seconds(60)

    /// The limit on wrong passwords for one account from one network.
    ///
    /// The limit also applies to accounts that don't exist.
    package let failuresPerNetwork: LimitRule

    let codesPerPhone: LimitRule
    let codeSpacing: LimitRule
    let callingCodes: CallingCodeLimits
    let textsPerBlock: LimitRule
    let formsPerAddress: LimitRule
    package let publicReadsPerAddress: LimitRule
    let identifierStatusPerAddress: LimitRule
    let identifierStatusPerKey: LimitRule
    let renewalsPerSession: LimitRule
    let codesOnKnownNetworks: LimitRule
    let codesPerAddress: LimitRule
    let wrongCodesPerPhone: LimitRule
    let wrongCodesOnKnownNetworks: LimitRule
    let failuresPerAccount: LimitRule
    let failuresPerAddress: LimitRule
    let accountsPerAddress: LimitRule
    let failuresPerClient: LimitRule
    package let authorizationsPerAddress: LimitRule
    package let pushedRequestsPerClient: LimitRule
    package let approvalsPerSession: LimitRule
    let handoversPerSession: LimitRule
    let handoversPerAddress: LimitRule
    let registrationsPerAddress: LimitRule
    let changesPerAccount: LimitRule
    let enrolmentsPerSession: LimitRule
    let exportsPerAccount: LimitRule
    package let ordersPerAccount: LimitRule
    package let paymentMethodsPerAccount: LimitRule
    package let paymentMethodsPerAddress: LimitRule
    package let restoresPerAccount: LimitRule
    package let historiesPerAccount: LimitRule
    let noticeTextsPerAccount: LimitRule

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
        publicReadsPerAddress = .sliding(settings.publicReadsPerAddress)
        identifierStatusPerAddress = .sliding(settings.identifierStatusPerAddress)
        identifierStatusPerKey = .sliding(settings.identifierStatusPerKey)
        renewalsPerSession = .sliding(settings.renewalsPerSession)
        wrongCodesPerPhone = .sliding(settings.wrongCodesPerPhone)
        wrongCodesOnKnownNetworks = .sliding(settings.wrongCodesOnKnownNetworks)
        failuresPerAccount = .sliding(settings.failuresPerAccount)
        failuresPerAddress = .sliding(settings.failuresPerAddress)
        accountsPerAddress = .sliding(settings.accountsPerAddress)
        failuresPerClient = .sliding(settings.failuresPerClient)
        authorizationsPerAddress = .sliding(settings.authorizationsPerAddress)
        pushedRequestsPerClient = .sliding(settings.pushedRequestsPerClient)
        approvalsPerSession = .sliding(settings.approvalsPerSession)
        handoversPerSession = .sliding(settings.handoversPerSession)
        handoversPerAddress = .sliding(settings.handoversPerAddress)
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
    subscript(event: LimitedEvent) -> LimitRule { event.rule(self) }
}

extension Rate {
    /// A part of this rate, rounded down to a whole count of at least 1.
    func percent(_ percent: Int) -> Rate { Rate(max(1, count * percent / 100), per: window) }
}
