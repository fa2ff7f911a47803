import LatchkeyServerKit

extension RouteCredentials {
    /// A session that only affects the form and the outcome of a flow, if there is one.
    private static let considered = session(SessionCredentials(.considered))

    /// Like ``considered``, but the session may be provisional.
    private static let provisionalConsidered = session(
        SessionCredentials(.considered, acceptsProvisional: true)
    )

    /// The credentials that the route for starting a flow accepts.
    static func beginning(_ kind: FlowKind) -> RouteCredentials {
        switch kind {
        case .login, .registration, .recovery: considered
        case .verification: provisionalConsidered
        case .settings: .session()
        }
    }

    /// The credentials that the route for reading a flow accepts.
    ///
    /// Settings flows require a session. Any other flow can be read by anyone who knows its id.
    static func showing(_ kind: FlowKind) -> RouteCredentials {
        kind == .settings ? .session() : .none
    }

    /// The credentials that the route for submitting a flow accepts.
    static func submitting(_ kind: FlowKind) -> RouteCredentials {
        switch kind {
        case .login, .registration, .recovery: considered
        case .verification: provisionalConsidered
        case .settings: .session(SessionCredentials(privilege: .sometimes))
        }
    }
}
