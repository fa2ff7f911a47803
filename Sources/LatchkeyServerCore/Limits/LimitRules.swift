/// All limits that hold across flows.
package struct LimitRules: Hashable, Sendable {
    /// Codes sent to one phone or mailbox.
    package var codesPerRecipient = LimitRule.sliding([
        LimitWindow(1, per: .seconds(30)), LimitWindow(5, per: .seconds(3600)),
        LimitWindow(10, per: .seconds(86_400)),
    ])

    /// Codes that one network address asks for.
    package var codesPerAddress = LimitRule.sliding([LimitWindow(30, per: .seconds(3600))])

    /// Wrong guesses at the codes of one phone or mailbox.
    package var guessesPerRecipient = LimitRule.sliding([LimitWindow(10, per: .seconds(86_400))])

    /// Failed passwords of one account, whether it exists or not.
    package var failuresPerAccount = LimitRule.growingWaits(
        free: 5,
        first: .seconds(60),
        longest: .seconds(3600),
        memory: .seconds(86_400)
    )

    /// Failed passwords from one network address.
    package var failuresPerAddress = LimitRule.sliding([LimitWindow(100, per: .seconds(3600))])

    /// Certificates issued to one session, renewals included.
    package var enrolmentsPerSession = LimitRule.sliding([LimitWindow(20, per: .seconds(86_400))])

    /// Notices to one account that are sent as text messages.
    package var noticeTextsPerAccount = LimitRule.sliding([LimitWindow(3, per: .seconds(86_400))])

    private static let onceADay = LimitRule.sliding([LimitWindow(1, per: .seconds(86_400))])

    /// Text messages to all phones together, for what they cost; none by default, for whoever uses such a limit up
    /// keeps everybody else waiting.
    package var textMessages: [LimitWindow] = [] {
        didSet { textMessageShares = LimitShares(of: textMessages) }
    }

    private var textMessageShares = LimitShares(of: [])

    /// The limits that hold when nothing else is said.
    package init() {}

    /// No limits, for load tests.
    package static let lifted = {
        var rules = LimitRules()
        rules.codesPerRecipient = .lifted
        rules.codesPerAddress = .lifted
        rules.guessesPerRecipient = .lifted
        rules.failuresPerAccount = .lifted
        rules.failuresPerAddress = .lifted
        rules.enrolmentsPerSession = .lifted
        return rules
    }()

    subscript(event: LimitedEvent) -> LimitRule {
        switch event {
        case .code: codesPerRecipient
        case .codeForAddress: codesPerAddress
        case .guess: guessesPerRecipient
        case .failureOfAccount, .failureAtHome: failuresPerAccount
        case .failureFromAddress: failuresPerAddress
        case .textMessage: textMessageShares.rule
        case .noticeText: noticeTextsPerAccount
        case .deviceNoticeText, .refusedEntryNotice: Self.onceADay
        case .enrolment: enrolmentsPerSession
        }
    }

    /// One text message more; nothing where they are not limited together.
    package func textMessage(to address: Traits.Address) -> LimitedEvent? {
        guard address.via == .sms, !textMessages.isEmpty else { return nil }
        return .textMessage(share: textMessageShares.share(of: address.value))
    }
}
