import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyOAuth
import LatchkeyServerKit

extension ServerConfiguration {
    private static let hour: Duration = .seconds(3600)

    /// The part that each limit takes of a resource that it shares with other limits, by the key of the
    /// setting.
    ///
    /// Every setting that limits how often something happens, or how much of it, must be listed.
    package static let resources: [String: ResourceDeclaration] = [
        "connections.limit": .capacity(.connections),
        "connections.per_address": .subject(.connections) {
            $0.connections.perAddress.flatMap { $0 > 0 ? $0 : nil }
        },
        "events.streams": .part(.connections) { configuration in
            guard configuration.events.isEnabled else { return nil }
            return configuration.events.streams ?? configuration.connections.limit / 2
        },
        "events.streams_per_session": .own,
        "events.streams_per_account": .subject(.connections) {
            $0.events.isEnabled ? $0.events.perAccount : nil
        },
        "limits.text_messages": .capacity(.textMessages),
        "limits.block_share": .subject(.textMessages) { $0.textsPerBlock },
        // A calling code is no client, but all users of a country.
        "limits.texts_per_calling_code": .own,
        // A network is a part of its block.
        "limits.codes_per_address": .subject(.textMessages) { configuration in
            // A full bucket, and what it gains meanwhile.
            let network = configuration.limits.codesPerAddress.flatMap { bucket in
                [bucket].most(within: hour).map { bucket.count + $0 }
            }
            return [network, configuration.textsPerBlock].compactMap { $0 }.min()
        },
        "limits.codes_per_phone": .subject(.textMessages) { $0.limits.codesPerPhone.most(within: hour) },
        "limits.codes_on_known_networks": .subject(.textMessages) {
            $0.limits.codesOnKnownNetworks.most(within: hour)
        },
        // These two only shift messages within the limits above.
        "limits.texts_per_proven_number": .own, "limits.block_share_of_calling_code": .own,
        "limits.proven_block_share": .part(.textMessages) { configuration in
            guard configuration.courier.kind == .http else { return nil }
            let unproven = configuration.limits.textMessages.most(within: hour).map { $0 / 2 }
            return unproven.map { $0 * configuration.limits.provenBlockShare / 100 }
        },
        "limits.renewals_per_session": .subject(.replayCache) {
            $0.limits.renewalsPerSession.most(within: DPoPReplayWindow.length)
        },
        "limits.wrong_codes_per_phone": .own, "limits.wrong_codes_on_known_networks": .own,
        "limits.failures_per_account": .own, "limits.failures_per_address": .own,
        "limits.accounts_per_address": .own, "limits.registrations_per_address": .own,
        "limits.changes_per_account": .own, "limits.enrolments_per_session": .own,
        "limits.exports_per_account": .own, "limits.orders_per_account": .own,
        "limits.payment_methods_per_account": .own, "limits.payment_methods_per_address": .own,
        "limits.restores_per_account": .own, "limits.histories_per_account": .own,
        "limits.authorizations_per_address": .own, "limits.pushed_requests_per_client": .own,
        "limits.approvals_per_session": .own, "limits.handovers_per_session": .own,
        "limits.handovers_per_address": .own, "limits.failures_per_client": .own,
        "limits.forms_per_address": .own, "limits.public_reads_per_address": .own,
        "limits.identifier_status_per_address": .own, "limits.identifier_status_per_key": .own,
        "limits.free_failures": .own,
    ]

    /// How many text messages one block can have sent to unproven numbers within an hour.
    private var textsPerBlock: Int? {
        guard courier.kind == .http else { return nil }
        return limits.textMessages.most(within: Self.hour).map { $0 * limits.blockShare / 100 }
    }

    private static let defaults = ServerConfiguration(data: "")

    /// Whether a setting has its default value because the operator hasn't chosen a value.
    private func hasDefault(_ key: String) -> Bool {
        guard sources[key] == nil, let setting = Self.settings.first(where: { $0.path == key }) else {
            return false
        }
        return setting.show(self) == setting.show(Self.defaults)
    }

    /// The limits, of which those with a default value use at most half of a resource that the operator has
    /// made smaller.
    var effectiveLimits: LimitSettings {
        var limits = limits
        guard let capacity = capacity(of: .textMessages) else { return limits }
        let half = Rate(max(1, capacity / 2), per: Self.hour)
        func cap(_ key: String, at member: WritableKeyPath<LimitSettings, [Rate]>) {
            guard hasDefault(key), let most = limits[keyPath: member].most(within: Self.hour) else { return }
            if most > half.count { limits[keyPath: member].append(half) }
        }
        cap("limits.codes_per_phone", at: \.codesPerPhone)
        cap("limits.codes_on_known_networks", at: \.codesOnKnownNetworks)
        return limits
    }

    /// The settings for event streams, with which an account by default uses at most half of the connections.
    var effectiveEvents: EventSettings {
        var events = events
        if hasDefault("events.streams_per_account") {
            events.perAccount = min(events.perAccount, max(1, connections.limit / 2))
        }
        return events
    }

    /// The capacity of a resource, or `nil` if it isn't limited.
    private func capacity(of resource: SharedResource) -> Int? {
        switch resource {
        case .textMessages: courier.kind == .http ? limits.textMessages.most(within: Self.hour) : nil
        case .connections: connections.limit
        case .replayCache: DPoPReplayWindow.capacity
        }
    }

    /// The limits that take more of a shared resource than there is, each with the key of the setting.
    ///
    /// All parts together must not exceed the resource, and no single subject may use more than half of it. A
    /// default isn't rejected, because the operator hasn't chosen it; see ``effectiveLimits``.
    package func overcommitments(
        declared: [String: ResourceDeclaration] = resources
    ) -> [(key: String, message: String)] {
        SharedResource.allCases.flatMap { resource -> [(key: String, message: String)] in
            guard let capacity = capacity(of: resource) else { return [] }
            var found: [(key: String, message: String)] = []
            var parts: [(key: String, amount: Int)] = []
            for (key, declaration) in declared.sorted(by: { $0.key < $1.key }) {
                switch declaration {
                case .part(resource, let amount):
                    if let amount = amount(self) { parts.append((key, amount)) }
                case .subject(resource, let amount):
                    if let amount = amount(self), amount > capacity / 2, !hasDefault(key) {
                        let message =
                            "would let one client use \(amount) of \(capacity) \(resource.name), which is more than half; lower it or raise \(resource.setting)"
                        found.append((key, message))
                    }
                default: break
                }
            }
            let total = parts.reduce(0) { $0 + $1.amount }
            if total > capacity, let largest = parts.max(by: { $0.amount < $1.amount }) {
                let others = parts.map(\.key).filter { $0 != largest.key }
                let together = others.isEmpty ? "" : " together with " + others.joined(separator: " and ")
                let message =
                    "takes \(total) of \(capacity) \(resource.name)\(together); lower it or raise \(resource.setting)"
                found.append((largest.key, message))
            }
            return found
        }
    }
}

extension SharedResource {
    fileprivate var name: String {
        switch self {
        case .textMessages: "text messages an hour"
        case .connections: "connections"
        case .replayCache: "remembered proofs"
        }
    }

    /// The setting that makes the resource larger, if there is one.
    fileprivate var setting: String {
        switch self {
        case .textMessages: "limits.text_messages"
        case .connections: "connections.limit"
        case .replayCache: "the interval"
        }
    }
}
