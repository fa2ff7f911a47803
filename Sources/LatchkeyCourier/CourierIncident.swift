package import LatchkeyModel

/// An event of message delivery that is reported to the operator; it has no content of messages.
package enum CourierIncident: Sendable {
    /// An attempt failed and will be repeated.
    case postponed(Identifier, attempt: Int, reason: String)

    /// A message was abandoned: it was rejected, expired, or ran out of attempts.
    case abandoned(Identifier, attempt: Int, reason: String)

    /// A database operation failed; the courier retries.
    case database(String)

    /// A share of the overall limit of text messages has reached four fifths.
    case textMessagesNearLimit
}
