/// The response to a request that revokes all other sessions of an account.
package struct RevokedSessionsBody: AnswerBody, Codable {
    /// The number of sessions that the request has revoked.
    package var count: Int
}
