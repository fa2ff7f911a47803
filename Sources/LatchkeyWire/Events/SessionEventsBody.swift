/// The response to a long poll for session events.
package struct SessionEventsBody: Sendable, Codable {
    /// An event of the response.
    package struct Event: Sendable, Codable, Hashable {
        /// The id of the state after the event.
        package let id: String
        /// The name of a ``SessionEventType``, or a name that this version does not know.
        package let type: String

        package init(id: String, type: String) {
            self.id = id
            self.type = type
        }
    }

    /// The events since the state that the client knows; empty if there were none within the wait.
    package let events: [Event]
    /// The id of the present state, which the client sends as `after` in the next request.
    package let lastId: String

    package init(events: [Event], lastId: String) {
        self.events = events
        self.lastId = lastId
    }

    private enum CodingKeys: String, CodingKey {
        case events
        case lastId = "last_id"
    }
}
