/// The response to a user's request to delete the account.
package struct AccountDeletionBody: Sendable, Codable {
    /// The time from which the account is erased, in RFC 3339; until then, a login cancels the deletion.
    package var deletionAt: String

    private enum CodingKeys: String, CodingKey {
        case deletionAt = "deletion_at"
    }
}
