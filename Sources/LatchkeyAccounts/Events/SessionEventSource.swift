package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// A kind of account data that another module stores and whose changes are reported as session events.
///
/// The module publishes the topic in every transaction that changes the data (``Transaction/publish(_:)``).
package struct SessionEventSource: Sendable {
    /// The type of the event.
    package let type: SessionEventType
    /// The kind of topic that the module publishes.
    ///
    /// The topic's subject is the identity.
    package let topic: BroadcastTopic.Kind
    /// Returns a number that changes whenever the identity's data changes, such as a change counter.
    package let revision: @Sendable (_ identity: Identifier) async throws -> Int64

    /// Creates a source of session events.
    package init(
        _ type: SessionEventType,
        topic: BroadcastTopic.Kind,
        revision: @escaping @Sendable (_ identity: Identifier) async throws -> Int64
    ) {
        (self.type, self.topic, self.revision) = (type, topic, revision)
    }
}
