/// A purchase transaction as operators see it.
package struct AdministeredTransactionBody: AnswerBody, DocumentedBody, Hashable {
    /// The members that the user sees, which are encoded beside the others.
    package var transaction: TransactionBody
    package var identityID: String
    /// When a new owner reclaimed the account, in RFC 3339 format, or `nil` if that hasn't happened.
    package var detachedAt: String?

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case identityID = "identity_id"
        case detachedAt = "detached_at"
    }

    package static let schema = JSONSchema.component(
        "AdministeredTransaction",
        summary: """
            A purchase transaction with the id of its account. `detached_at` is the time at which a new owner reclaimed the \
            account; the transaction has been hidden from the account since then.
            """,
        members: TransactionBody.members + [
            .required(CodingKeys.identityID, .uuid), .optional(CodingKeys.detachedAt, .time),
        ]
    )

    package init(transaction: TransactionBody, identityID: String, detachedAt: String?) {
        self.transaction = transaction
        self.identityID = identityID
        self.detachedAt = detachedAt
    }

    package init(from decoder: any Decoder) throws {
        transaction = try TransactionBody(from: decoder)
        let members = try decoder.container(keyedBy: CodingKeys.self)
        identityID = try members.decode(String.self, forKey: .identityID)
        detachedAt = try members.decodeIfPresent(String.self, forKey: .detachedAt)
    }

    package func encode(to encoder: any Encoder) throws {
        try transaction.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(identityID, forKey: .identityID)
        try members.encodeIfPresent(detachedAt, forKey: .detachedAt)
    }
}
