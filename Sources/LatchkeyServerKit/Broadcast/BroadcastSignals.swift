/// The reasons why a subscriber is woken.
///
/// Signals that arrive before the subscriber reads them are merged, so a slow subscriber holds one value of this type
/// instead of a queue.
package struct BroadcastSignals: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A topic of the subscriber was published.
    package static let published = BroadcastSignals(rawValue: 1)
    /// Notifications of other nodes may have been lost.
    ///
    /// The subscriber must read the state of its subjects again.
    package static let gap = BroadcastSignals(rawValue: 1 << 1)
    /// A time has come that the subscriber waits for, such as the expiry of its session.
    package static let deadline = BroadcastSignals(rawValue: 1 << 2)
    /// The subscriber should send something to keep its connection open.
    package static let heartbeat = BroadcastSignals(rawValue: 1 << 3)
}
