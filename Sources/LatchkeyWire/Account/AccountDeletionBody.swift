/// The response when a user asks for their account to be deleted.
package struct AccountDeletionBody: AnswerBody, Codable {
    package static let statuses: Set<Int> = [202]

    /// The earliest time at which the account is erased, in RFC 3339 format.
    ///
    /// If the user logs in before this time, the deletion is cancelled.
    package var deletionAt: String

    private enum CodingKeys: String, CodingKey {
        case deletionAt = "deletion_at"
    }
}
