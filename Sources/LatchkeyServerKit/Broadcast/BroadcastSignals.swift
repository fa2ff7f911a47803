/// The reasons for waking a subscriber.
///
/// Signals are merged until the subscriber reads them, so a slow subscriber doesn't need a queue that could
/// keep growing.
package struct BroadcastSignals: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// One of the subscriber's topics was published.
    package static let published = BroadcastSignals(rawValue: 1)
    /// Notifications from other nodes may have been lost.
    ///
    /// The subscriber must read the current state again.
    package static let gap = BroadcastSignals(rawValue: 1 << 1)
    /// A deadline that the subscriber is waiting for has passed, such as the expiry of its session.
    package static let deadline = BroadcastSignals(rawValue: 1 << 2)
    /// The subscriber should send some data to keep its connection open.
    package static let heartbeat = BroadcastSignals(rawValue: 1 << 3)
}
