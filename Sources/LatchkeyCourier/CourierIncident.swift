package import LatchkeyModel

/// An event of message delivery that is reported to the operator; it has no content of messages.
///
/// Incidents are reported by the worker tasks, so the handler must be fast and must not block.
package enum CourierIncident: Sendable {
    /// An attempt failed and will be repeated.
    ///
    /// Has the id of the message, the number of the attempt, counted from 1, and the reason of the delivery.
    case postponed(Identifier, attempt: Int, reason: String)

    /// A message was abandoned: it was rejected, expired, or ran out of attempts.
    ///
    /// It is not sent again; its sealed content is erased. `attempt` is the number of the last attempt,
    /// counted from 1.
    case abandoned(Identifier, attempt: Int, reason: String)

    /// A database operation failed; the courier retries.
    ///
    /// Has the description of the ``DatabaseError``, or the type of any other error.
    case database(String)

    /// A share of the overall limit of text messages has reached four fifths.
    ///
    /// It is reported by ``Courier/reportTextMessagesNearLimit(at:)``, not by the workers.
    case textMessagesNearLimit
}
