/// What an answer about a session can be without.
package enum SessionPart: String, Hashable, Sendable, CaseIterable {
    case identity, devices

    package static let all = Set(allCases)
}
