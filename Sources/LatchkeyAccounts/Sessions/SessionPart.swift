/// The parts of a session that a response can omit.
package enum SessionPart: String, Hashable, Sendable, CaseIterable {
    case identity, devices

    package static let all = Set(allCases)
}
