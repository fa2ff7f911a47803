/// The parts of a session that a response can omit.
///
/// The raw values are those of the parameter `expand` in the admin API.
package enum SessionPart: String, Hashable, Sendable, CaseIterable {
    case identity, devices

    /// All parts, as in responses to the owner of a session.
    package static let all = Set(allCases)
}
