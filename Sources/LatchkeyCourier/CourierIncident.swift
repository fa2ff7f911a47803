package import LatchkeyModel

/// An event during message delivery that the operator should know about.
///
/// Incidents never include the content of a message.
///
/// The worker tasks call the incident handler directly, so it must be fast and must not block.
package enum CourierIncident: Sendable {
    /// An attempt failed and will be retried.
    ///
    /// The associated values are the message id, the number of the attempt (starting at 1), and the reason
    /// given by the delivery.
    case postponed(Identifier, attempt: Int, reason: String)

    /// A message was abandoned because it was rejected, expired, or ran out of attempts.
    ///
    /// The message won't be sent again, and its encrypted content has been erased. `attempt` is the number of
    /// the last attempt, starting at 1.
    case abandoned(Identifier, attempt: Int, reason: String)

    /// A database operation failed and will be retried.
    ///
    /// The associated value is the description of the ``DatabaseError``, or the type name of any other error.
    case database(String)

    /// 80% of the overall limit on text messages has been used.
    ///
    /// Reported by ``Courier/reportTextMessagesNearLimit()`` rather than by the workers.
    case textMessagesNearLimit
}
