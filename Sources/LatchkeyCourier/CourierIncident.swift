package import LatchkeyModel

/// An event in message delivery that is reported to the operator.
///
/// An incident contains no message content.
///
/// The worker tasks call the incident handler, so it must be fast and must not block.
package enum CourierIncident: Sendable {
    /// An attempt failed and will be repeated.
    ///
    /// The incident contains the id of the message, the number of the attempt (counted from 1) and the reason
    /// that the delivery gave.
    case postponed(Identifier, attempt: Int, reason: String)

    /// A message was abandoned because it was rejected, expired or had no attempts left.
    ///
    /// The message is not sent again, and its sealed content is erased. `attempt` is the number of the last
    /// attempt, counted from 1.
    case abandoned(Identifier, attempt: Int, reason: String)

    /// A database operation failed and will be retried.
    ///
    /// The incident contains the description of the ``DatabaseError``, or the type of any other error.
    case database(String)

    /// Four fifths of the overall limit for text messages have been used.
    ///
    /// This incident is reported by ``Courier/reportTextMessagesNearLimit(at:)``, not by the workers.
    case textMessagesNearLimit
}
