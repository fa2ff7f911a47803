import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension Log {
    /// Logs an incident of the courier, without the contents of messages.
    ///
    /// Abandoned messages and database errors are logged as errors, the other incidents as warnings.
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

/// The courier's reason for a failure; such reasons quote neither messages nor providers.
private struct LoggedReason: Loggable {
    let logged: JSONValue

    init(_ reason: String) {
        logged = .string(reason)
    }
}
