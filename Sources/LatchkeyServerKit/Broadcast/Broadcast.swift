import LatchkeyModel

/// Notifies subscribers on the same node when a session or an identity changes.
///
/// A notification tells subscribers that a session or an identity has changed, but not how it has changed.
/// Subscribers then read the current state from the database, so a subscriber that is slow or misses a
/// notification is up to date again after its next read.
///
/// When several nodes share a database, its driver forwards the notifications from all nodes to this
/// broadcast, and calls ``announceGap()`` when some of them may have been lost. See
/// ``Transaction/publish(_:)``.
package final class Broadcast: Sendable {
    private struct State {
        var subscribers: [BroadcastTopic: [BroadcastSubscription]] = [:]
        var hasStarted = false
        var isClosed = false
    }

    private let state = Locked(State())
    private let start: @Sendable (Broadcast) -> Void

    /// Creates a broadcast that has no subscribers yet.
    ///
    /// - Parameter start: A closure that starts receiving notifications from other nodes. It is called once,
    ///   when the first subscriber is added. The closure must not block.
    package init(start: @escaping @Sendable (Broadcast) -> Void = { _ in }) {
        self.start = start
    }

    /// Subscribes to one or more topics.
    ///
    /// To avoid missing a change, subscribe first and then read the state. The caller is responsible for
    /// limiting the number of subscriptions and for ending each of them with ``unsubscribe(_:)``.
    ///
    /// - Parameter topics: The topics to subscribe to. The subscriber is woken when any of them changes.
    /// - Returns: The subscription. If the broadcast is closed, the subscription has already ended.
    package func subscribe(to topics: [BroadcastTopic]) -> BroadcastSubscription {
        let subscription = BroadcastSubscription(topics: topics)
        let (isFirst, isClosed) = state.withLock { state in
            guard !state.isClosed else { return (false, true) }
            for topic in topics { state.subscribers[topic, default: []].append(subscription) }
            defer { state.hasStarted = true }
            return (!state.hasStarted, false)
        }
        if isClosed { subscription.end() }
        if isFirst { start(self) }
        return subscription
    }

    /// Ends a subscription and removes it from the broadcast.
    package func unsubscribe(_ subscription: BroadcastSubscription) {
        state.withLock { state in
            for topic in subscription.topics {
                state.subscribers[topic]?.removeAll { $0 === subscription }
                if state.subscribers[topic]?.isEmpty == true { state.subscribers[topic] = nil }
            }
        }
        subscription.end()
    }

    /// Wakes all subscribers of a topic.
    package func publish(_ topic: BroadcastTopic) {
        for subscription in state.withLock({ $0.subscribers[topic] }) ?? [] {
            subscription.signal(.published)
        }
    }

    /// Wakes all subscribers because some notifications may have been lost.
    package func announceGap() {
        // A subscription to several topics is signaled once per topic. The additional signals have no effect.
        for subscription in state.withLock({ $0.subscribers.values.flatMap(\.self) }) {
            subscription.signal(.gap)
        }
    }

    /// Ends all subscriptions.
    ///
    /// Subscriptions that are created later end immediately.
    package func close() {
        let all = state.withLock { state in
            state.isClosed = true
            defer { state.subscribers = [:] }
            return state.subscribers.values.flatMap(\.self)
        }
        for subscription in all { subscription.end() }
    }

    /// The number of topics that have at least one subscriber.
    package var topicCount: Int { state.withLock { $0.subscribers.count } }
}
