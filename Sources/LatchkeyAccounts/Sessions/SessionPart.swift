/// The parts of a session that can be left out of a response.
///
/// The raw values are the values of the `expand` parameter in the admin API.
package enum SessionPart: String, Hashable, Sendable, CaseIterable {
    case identity, devices

    /// All parts, which are included in responses to the session's owner.
    package static let all = Set(allCases)
}
