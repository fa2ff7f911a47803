package import LatchkeyModel
package import LatchkeyServerKit

/// A reason for which accounts have duties.
///
/// whoami asks the sources in every request, so a source that needs data of its own has to cache it.
package protocol DutySource: Sendable {
    /// Returns the duties of an account, or an empty list if there are none.
    func duties(for question: DutyQuestion) async throws(DatabaseError) -> [AccountDuty]
}

/// An account, and the circumstances on which its duties depend.
package struct DutyQuestion: Sendable {
    package let account: IdentityRecord
    /// The client of the session, or `nil` if the session has no client, or if the client was disabled or deleted.
    package let client: OAuthClient?
    /// The request's `Accept-Language` header, which selects the language of documents.
    package let acceptLanguage: String?
    package let now: Timestamp
}
