/// What a flow leads to.
package enum FlowKind: String, Sendable, CaseIterable {
    case login
    case registration
}
