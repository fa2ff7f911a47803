/// The response to a long-polling request for session events.
package struct SessionEventsBody: AnswerBody, Codable {
    /// A session event.
    package struct Event: Sendable, Codable, Hashable {
        /// The ID of the session's state after this event.
        package let id: String
        /// The raw value of a ``SessionEventType``, or a type that this version doesn't know.
        package let type: String

        package init(id: String, type: String) {
            self.id = id
            self.type = type
        }
    }

    /// The events that are newer than the event ID in the client's request.
    ///
    /// The array is empty if there were no events before the request timed out.
    package let events: [Event]
    /// The ID of the current state.
    ///
    /// The client sends this ID as `after` in its next request.
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
