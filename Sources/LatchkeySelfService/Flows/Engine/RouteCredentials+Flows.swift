import LatchkeyServerKit

extension RouteCredentials {
    /// The credentials that the route for starting a flow accepts.
    static func beginning(_ kind: FlowKind, cookies: Bool) -> RouteCredentials {
        switch kind {
        case .login, .registration, .recovery: considered(cookies: cookies)
        case .verification: considered(provisional: true, cookies: cookies)
        case .settings: .session(SessionCredentials(acceptsCookies: cookies))
        }
    }

    /// The credentials that the route for reading a flow accepts.
    ///
    /// Settings flows require a session. Any other flow can be read by anyone who knows its id.
    static func showing(_ kind: FlowKind, cookies: Bool) -> RouteCredentials {
        kind == .settings ? .session(SessionCredentials(acceptsCookies: cookies)) : .none
    }

    /// The credentials that the route for submitting a flow accepts.
    static func submitting(_ kind: FlowKind, cookies: Bool) -> RouteCredentials {
        switch kind {
        case .login, .registration, .recovery: considered(cookies: cookies)
        case .verification: considered(provisional: true, cookies: cookies)
        case .settings: .session(SessionCredentials(privilege: .sometimes, acceptsCookies: cookies))
        }
    }

    /// A session that only affects the form and the outcome of a flow, if there is one.
    private static func considered(provisional: Bool = false, cookies: Bool) -> RouteCredentials {
        .session(
            SessionCredentials(.considered, acceptsProvisional: provisional, acceptsCookies: cookies)
        )
    }
}
