import LatchkeyModel
import LatchkeyServerCore
import LatchkeyWire

extension Log {
    /// Writes down trouble with messages, without what is in them.
    func write(_ incident: CourierIncident) {
        switch incident {
        case .postponed(let id, let attempt, let reason):
            write(
                .warning,
                "courier.postponed",
                Field("message", id),
                Field("attempt", attempt),
                Field("reason", LoggedReason(reason))
            )
        case .abandoned(let id, let attempt, let reason):
            write(
                .error,
                "courier.abandoned",
                Field("message", id),
                Field("attempt", attempt),
                Field("reason", LoggedReason(reason))
            )
        case .database(let reason):
            write(.error, "courier.database", Field("reason", LoggedReason(reason)))
        case .textMessagesNearLimit:
            write(
                .warning,
                "limits.text_messages",
                Field(
                    "reason",
                    LoggedReason("80 % of the text messages that limits.text_messages allows were sent.")
                )
            )
        }
    }
}

/// Why the courier could not do something; the courier's own words, which quote neither message nor provider.
private struct LoggedReason: Loggable {
    let logged: JSONValue

    init(_ reason: String) {
        logged = .string(reason)
    }
}
