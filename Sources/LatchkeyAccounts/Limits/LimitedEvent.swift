import LatchkeyCourier
package import LatchkeyModel

/// A rate-limited event, together with the subject that it is counted for and the rule that limits it.
///
/// Each module defines its events next to the code that counts them. Events with the same ``subject`` are equal
/// and are counted together.
package struct LimitedEvent: Sendable {
    /// A network or a block of networks.
    enum Origin: Sendable {
        case network(Network)
        case block(NetworkBlock)
    }

    /// The bytes that identify this kind of event and its subject.
    let subject: [UInt8]
    /// The name of the limit in metrics and in the audit log.
    let metric: MeteredLimit
    /// Returns the rule, which may be one of those that all events share.
    let rule: @Sendable (LimitRules) -> LimitRule

    /// The account that the event is about, or `nil` if there is no account or the account is unknown.
    let identity: Identifier?
    /// The login identifier or address that the event is about.
    ///
    /// The audit log contains its hash.
    let identifier: String?
    /// The network or the block of networks that the event is counted for, or `nil` if it has another subject.
    private let origin: Origin?

    /// The network that the event is about.
    ///
    /// Only refusals are recorded, so the text is built on demand.
    var network: String? {
        switch origin {
        case .network(let network)?: network.description
        case .block(let block)?: block.description
        case nil: nil
        }
    }

    /// Whether the operator is warned when the limit has nearly been reached.
    var isBudget = false

    /// Defines an event.
    ///
    /// The name and the parameters identify the subject. Changing the name would reset the counts.
    init(
        _ name: String,
        of parameters: [UInt8],
        metric: MeteredLimit,
        identity: Identifier? = nil,
        identifier: String? = nil,
        from origin: Origin? = nil,
        by rule: @escaping @Sendable (LimitRules) -> LimitRule
    ) {
        subject = Array(name.utf8) + [0] + parameters
        self.metric = metric
        self.rule = rule
        (self.identity, self.identifier, self.origin) = (identity, identifier, origin)
    }

    /// Defines an event of an account.
    package init(
        _ name: String,
        of identity: Identifier,
        metric: MeteredLimit,
        by rule: @escaping @Sendable (LimitRules) -> LimitRule
    ) {
        self.init(name, of: identity.bytes, metric: metric, identity: identity, by: rule)
    }

    /// Defines an event of a network, whose rule allows more events if it may contain more than one subscriber.
    package init(
        _ name: String,
        of network: Network,
        metric: MeteredLimit,
        by rule: @escaping @Sendable (LimitRules) -> LimitRule
    ) {
        self.init(name, of: network.prefix, metric: metric, from: .network(network)) { rules in
            rule(rules).multiplied(by: network.allowance)
        }
    }
}

extension LimitedEvent: Hashable {
    package static func == (a: LimitedEvent, b: LimitedEvent) -> Bool { a.subject == b.subject }

    package func hash(into hasher: inout Hasher) { hasher.combine(subject) }
}
