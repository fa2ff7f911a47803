package import LatchkeyModel

/// Something about messages that an operator may want to read; holds nothing of their content.
package enum CourierIncident: Sendable {
    /// An attempt has failed and will be repeated.
    case postponed(Identifier, attempt: Int, reason: String)

    /// A message was given up.
    case abandoned(Identifier, attempt: Int, reason: String)

    /// The database could not be used; the courier goes on trying.
    case database(String)

    /// Four fifths of the text messages that a limit allows in all were sent, in one of its shares.
    case textMessagesNearLimit
}
