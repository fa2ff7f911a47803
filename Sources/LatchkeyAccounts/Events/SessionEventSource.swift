package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// A kind of data that other modules store about an account, and whose changes are session events.
///
/// The module publishes the topic in each transaction that changes the data (``Transaction/publish(_:)``).
package struct SessionEventSource: Sendable {
    /// The type of the event.
    package let type: SessionEventType
    /// The kind of topic that the module publishes, whose subject is the identity.
    package let topic: BroadcastTopic.Kind
    /// Returns a number that changes with the data of an identity, such as the number of changes.
    package let revision: @Sendable (_ identity: Identifier) async throws -> Int64

    /// Creates a source.
    package init(
        _ type: SessionEventType,
        topic: BroadcastTopic.Kind,
        revision: @escaping @Sendable (_ identity: Identifier) async throws -> Int64
    ) {
        (self.type, self.topic, self.revision) = (type, topic, revision)
    }
}
