import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension Log {
    /// Logs an incident in the courier.
    ///
    /// The contents of messages are not logged. Abandoned messages and database errors are logged as errors.
    /// All other incidents are logged as warnings.
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
                    LoggedReason("80 % of the text messages allowed by limits.text_messages have been sent.")
                )
            )
        }
    }
}

/// The courier's reason for a failure.
///
/// The reason never contains text from the message or from the provider.
private struct LoggedReason: Loggable {
    let logged: JSONValue

    init(_ reason: String) {
        logged = .string(reason)
    }
}
