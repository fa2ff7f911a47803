import LatchkeyServerKit

extension RouteCredentials {
    /// The credentials that the route for starting a flow accepts from a type of client.
    static func beginning(_ kind: FlowKind, for type: FlowType) -> RouteCredentials {
        let carrier: SessionCredentials.Carrier = type == .browser ? .cookie : .header
        return switch kind {
        case .login, .registration, .recovery: considered(in: carrier)
        case .verification: considered(provisional: true, in: carrier)
        // The user takes the steps that block in a settings flow.
        case .settings: .session(SessionCredentials(carrier: carrier)).exemptFromDuties
        }
    }

    /// The credentials that the route for reading a flow accepts.
    ///
    /// Settings flows require a session. Any other flow can be read by anyone who knows its id, or, if it is a
    /// browser's, by that browser.
    static func showing(_ kind: FlowKind, in carrier: SessionCredentials.Carrier) -> RouteCredentials {
        kind == .settings ? .session(SessionCredentials(carrier: carrier)).exemptFromDuties : .none
    }

    /// The credentials that the route for submitting a flow accepts.
    static func submitting(_ kind: FlowKind, in carrier: SessionCredentials.Carrier) -> RouteCredentials {
        switch kind {
        case .login, .registration, .recovery: considered(in: carrier)
        case .verification: considered(provisional: true, in: carrier)
        // The flow rejects all submissions that don't take a step.
        case .settings:
            .session(SessionCredentials(privilege: .sometimes, carrier: carrier)).exemptFromDuties
        }
    }

    /// A session that only affects the form and the outcome of a flow, if there is one.
    private static func considered(
        provisional: Bool = false,
        in carrier: SessionCredentials.Carrier
    ) -> RouteCredentials {
        .session(SessionCredentials(.considered, acceptsProvisional: provisional, carrier: carrier))
    }
}
