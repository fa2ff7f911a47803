/// The limits on text messages to unproven numbers with one calling code.
///
/// The limits grow with the number of phone numbers that were proven, so an attacker can't use up the
/// messages of a country in which users sign up, and gets few messages to a country in which no users do.
struct CallingCodeLimits: Hashable, Sendable {
    /// The limits without any proven number.
    let rates: [Rate]

    /// How many messages each number that was proven within the last day adds.
    let gain: Int

    /// The percentage of the limits that one block can use.
    let blockPercent: Int

    /// The limit after a number of proofs within the last day.
    func rule(proven: Int) -> LimitRule {
        .sliding(grown(by: proven))
    }

    /// The limit for one block after a number of proofs within the last day.
    func blockRule(proven: Int) -> LimitRule {
        .sliding(grown(by: proven).map { $0.percent(blockPercent) })
    }

    private func grown(by proven: Int) -> [Rate] {
        rates.map { Rate($0.count + gain * proven, per: $0.window) }
    }
}
