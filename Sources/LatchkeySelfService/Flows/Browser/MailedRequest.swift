package import LatchkeyAccounts
package import LatchkeyModel

/// The request for a code, as the page behind the mailed link shows it.
package struct MailedRequest: Sendable {
    /// The address that the code was sent to, of which only the beginning and the domain are shown.
    package let maskedAddress: String
    package let askedAt: Timestamp
    /// The part of the internet that the code was asked for from, or `nil` if it isn't known.
    package let askedFrom: String?
    /// The client that has started the flow, or `nil` if it isn't known.
    package var client: OAuthClient?

    init(address: String, askedAt: Timestamp, askedFrom: String?) {
        // Mails are forwarded, and the reader knows the own address.
        let parts = address.split(separator: "@", maxSplits: 1)
        maskedAddress = parts.count == 2 ? parts[0].prefix(1) + "…@" + parts[1] : "…"
        (self.askedAt, self.askedFrom) = (askedAt, askedFrom)
    }
}
