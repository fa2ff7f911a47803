import LatchkeyModel
import LatchkeyWire

/// The JSON representation of a stored session.
extension StoredSession {
    /// The members of the record.
    ///
    /// If you add a member later, it must be optional, so that older versions of an app can ignore it. A new
    /// kind of credential requires a new version. Dates are in RFC 3339 format, and the device key is encoded
    /// as Base64URL.
    struct Record: Codable {
        struct Identity: Codable {
            var id: String
            var schema: String
            var traits: JSONValue
            var metadata: JSONValue?
            var addresses: [Address]?
            var createdAt: String?
        }

        struct Address: Codable {
            var value: String
            var isVerified: Bool
            var isForRecovery: Bool
        }

        struct Session: Codable {
            var id: String
            var authenticatedAt: String?
            var expiresAt: String?
        }

        struct Certificate: Codable {
            var pem: String
            var chain: [String]
            var serialNumber: String
            var certifiedAt: String
            var notAfter: String
        }

        struct Pair: Codable {
            var access: String
            var refresh: String?
            var renewAt: String
            var expiresAt: String
            var isBound: Bool
        }

        /// The login's tokens.
        ///
        /// Which members are present depends on the kind.
        struct Credential: Codable {
            enum Kind: String, Codable {
                case sessionToken = "session_token"
                case grant
            }

            var kind: Kind
            var token: String?
            /// The tokens of an OAuth grant, or the tokens that the session token was exchanged for.
            ///
            /// If there is a session token but no pair, the session token is exchanged again.
            var pair: Pair?
            var issuer: String?
            var client: String?
            var scopes: [String]?
            var idToken: String?
        }

        var version: Int
        var login: String
        var credential: Credential
        var session: Session
        var identity: Identity
        var key: String
        var certificate: Certificate?
        var requiresCertificate: Bool
    }
}

extension StoredSession.Record {
    /// Creates a record for a session.
    ///
    /// Secrets are included in plain text, because the store protects them.
    init(encoding stored: StoredSession) {
        let identity = stored.session.identity
        version = StoredSession.recordVersion
        login = stored.login.text
        credential = Credential(encoding: stored.credential)
        session = Session(
            id: stored.session.id,
            authenticatedAt: stored.session.authenticatedAt.map { Timestamp($0).description },
            expiresAt: stored.session.expiresAt.map { Timestamp($0).description }
        )
        self.identity = Identity(
            id: identity.id,
            schema: identity.schema,
            traits: .object(identity.traits.values),
            metadata: identity.publicMetadata,
            addresses: identity.addresses.isEmpty
                ? nil
                : identity.addresses.map {
                    Address(value: $0.value, isVerified: $0.isVerified, isForRecovery: $0.isForRecovery)
                },
            createdAt: identity.createdAt.map { Timestamp($0).description }
        )
        key = Base64URL.encode(stored.key.exposed)
        certificate = stored.certificate.map { certificate in
            Certificate(
                pem: certificate.pem,
                chain: certificate.chain,
                serialNumber: certificate.serialNumber,
                certifiedAt: certificate.certifiedAt.description,
                notAfter: certificate.notAfter.description
            )
        }
        requiresCertificate = stored.requiresCertificate
    }
}

extension StoredSession.Record.Credential {
    init(encoding credential: StoredCredential) {
        pair = credential.pair.map { StoredSession.Record.Pair(encoding: $0) }
        switch credential {
        case .sessionToken(let token, _):
            kind = .sessionToken
            self.token = token.exposed
        case .grant(let grant):
            kind = .grant
            issuer = grant.issuer
            client = grant.client
            scopes = grant.scopes.sorted()
            idToken = grant.idToken?.exposed
        }
    }
}

extension StoredSession.Record.Pair {
    fileprivate init(encoding pair: TokenPair) {
        self.init(
            access: pair.access.exposed,
            refresh: pair.refresh?.exposed,
            renewAt: pair.renewAt.description,
            expiresAt: pair.expiresAt.description,
            isBound: pair.isBound
        )
    }
}
