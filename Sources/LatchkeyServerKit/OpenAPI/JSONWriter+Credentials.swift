import LatchkeyWire

extension JSONWriter {
    /// Writes the security requirements of an operation, and the member `x-credentials` with the details that
    /// OpenAPI has no member for.
    mutating func security(_ credentials: RouteCredentials) {
        let requirements = credentials.requirements
        if !requirements.isEmpty {
            name("security")
            array { writer in
                for scheme in requirements {
                    writer.object { writer in
                        guard let scheme else { return }
                        writer.name(escaping: scheme)
                        writer.array { _ in }
                    }
                }
            }
        }
        name("x-credentials")
        object { writer in
            writer.details(of: credentials)
            guard let duties = credentials.duties else { return }
            writer.name("duties")
            writer.string(duties.rawValue)
        }
    }

    private mutating func details(of credentials: RouteCredentials) {
        name("kind")
        switch credentials {
        case .none: string("none")
        case .clientToken: string("client_token")
        case .adminToken: string("admin_token")
        case .adminTokenUnlessOpen: string("admin_token_unless_open")
        case .body(let body):
            string("body")
            name("tokens")
            array { writer in for token in body.tokens.map(\.rawValue).sorted() { writer.string(token) } }
            name("proof")
            bool(body.needsProof)
        case .session(let session):
            string("session")
            name("presence")
            string(session.presence.rawValue)
            name("provisional")
            bool(session.acceptsProvisional)
            name("privileged")
            string(session.privilege.rawValue)
            name("carrier")
            string(session.carrier.rawValue)
            name("access_token")
            accessTokens(session.accessTokens)
        }
    }

    private mutating func accessTokens(_ tokens: SessionCredentials.AccessTokens) {
        switch tokens {
        case .none: null()
        case .ofSession:
            object { writer in
                writer.name("audience")
                writer.string("any")
            }
        case .scope(let scope, let isBound):
            object { writer in
                writer.name("audience")
                writer.string("issuer")
                writer.name("scope")
                writer.string(scope.rawValue)
                writer.name("bound")
                writer.bool(isBound)
            }
        }
    }
}

extension RouteCredentials {
    /// The names of the security schemes, one of which a request must use.
    ///
    /// `nil` stands for a request without a credential. A session token is accepted in either of two header
    /// fields.
    fileprivate var requirements: [String?] {
        switch self {
        case .none, .body: []
        case .clientToken: ["bearer", "dpop"]
        case .adminToken: ["bearer"]
        case .adminTokenUnlessOpen: [nil, "bearer"]
        case .session(let session):
            (session.presence == .required ? [] : [nil])
                + (session.carrier == .cookie ? [] : ["sessionToken", "bearer"])
                + (session.carrier == .header ? [] : ["sessionCookie"])
                + (session.accessTokens == .none ? [] : ["dpop"])
        }
    }
}
