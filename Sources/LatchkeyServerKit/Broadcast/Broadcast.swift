import LatchkeyModel

/// Publishes changes of sessions and identities to subscribers on the same node.
///
/// A publication says that a subject has changed, not how: subscribers read the state from the database. A subscriber
/// that is slow, or that missed a publication, is therefore up to date after its next read.
///
/// The driver of a database that several nodes share passes the publications of all nodes to its broadcast, and calls
/// ``announceGap()`` when some may have been lost. See ``Transaction/publish(_:)``.
package final class Broadcast: Sendable {
    private struct State {
        var subscribers: [BroadcastTopic: [BroadcastSubscription]] = [:]
        var hasStarted = false
        var isClosed = false
    }

    private let state = Locked(State())
    private let start: @Sendable (Broadcast) -> Void

    /// Creates a broadcast without subscribers.
    ///
    /// - Parameter start: Called once, with the first subscription, to begin to receive the publications of other
    ///   nodes. It must not block.
    package init(start: @escaping @Sendable (Broadcast) -> Void = { _ in }) {
        self.start = start
    }

    /// Subscribes to topics.
    ///
    /// To miss no change, subscribe first and read the state afterwards. The caller limits the number of subscriptions,
    /// and ends each one with ``unsubscribe(_:)``.
    ///
    /// - Parameter topics: The topics, each of which wakes the subscriber.
    /// - Returns: The subscription, which has already ended if the broadcast is closed.
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

    /// Ends a subscription and releases it.
    package func unsubscribe(_ subscription: BroadcastSubscription) {
        state.withLock { state in
            for topic in subscription.topics {
                state.subscribers[topic]?.removeAll { $0 === subscription }
                if state.subscribers[topic]?.isEmpty == true { state.subscribers[topic] = nil }
            }
        }
        subscription.end()
    }

    /// Wakes the subscribers of a topic.
    package func publish(_ topic: BroadcastTopic) {
        for subscription in state.withLock({ $0.subscribers[topic] }) ?? [] {
            subscription.signal(.published)
        }
    }

    /// Wakes all subscribers, because publications may have been lost.
    package func announceGap() {
        // A subscription with several topics is signalled several times, which has the same effect as once.
        for subscription in state.withLock({ $0.subscribers.values.flatMap(\.self) }) {
            subscription.signal(.gap)
        }
    }

    /// Ends all subscriptions, now and in the future.
    package func close() {
        let all = state.withLock { state in
            state.isClosed = true
            defer { state.subscribers = [:] }
            return state.subscribers.values.flatMap(\.self)
        }
        for subscription in all { subscription.end() }
    }

    /// The number of topics that have subscribers.
    package var topicCount: Int { state.withLock { $0.subscribers.count } }
}
