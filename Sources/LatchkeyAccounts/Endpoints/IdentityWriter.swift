import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// Writes the JSON for identities and sessions that we return to their owners (`contract/kratos.md`, 1.4).
package struct IdentityWriter: Sendable {
    private let schemaURLs: [String: String]
    private let schemasURL: String

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - schemas: The identity schemas. Their URLs are only computed once, in this initializer.
    ///   - urls: The server's public URLs.
    package init(schemas: SchemaCatalog, urls: ServerURLs) {
        let url = urls.selfService + "/schemas/"
        schemasURL = url
        schemaURLs = Dictionary(
            uniqueKeysWithValues: schemas.all.map { ($0.id, url + Base64URL.encode($0.id.utf8)) }
        )
    }

    /// Returns a schema's public URL, which contains the id in base64url.
    ///
    /// If the schema no longer exists, requests to this URL fail with status 404.
    package func schemaURL(of schemaID: String) -> String {
        schemaURLs[schemaID] ?? schemasURL + Base64URL.encode(schemaID.utf8)
    }

    /// Writes an identity by appending its pre-rendered JSON members.
    ///
    /// The admin metadata isn't included.
    package func write(_ identity: IdentityRecord, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("id")
            writer.identifier(identity.id)
            writer.name("schema_id")
            writer.string(identity.schemaID)
            writer.name("schema_url")
            writer.string(schemaURL(of: identity.schemaID))
            writer.raw(identity.body)
        }
    }

    /// Writes a session and the identity it belongs to.
    ///
    /// - Parameters:
    ///   - session: The session. The assurance level is always written as `aal1`.
    ///   - identity: The identity that owns the session.
    ///   - duties: The steps that the user has to take.
    ///   - isActive: Whether the session can be used.
    ///   - parts: The optional parts to include. Optional parts that aren't in this set are written as
    ///     `null`.
    ///   - writer: The writer to append to.
    package func write(
        _ session: Session,
        of identity: IdentityRecord,
        duties: [AccountDuty] = [],
        isActive: Bool = true,
        with parts: Set<SessionPart> = SessionPart.all,
        to writer: inout JSONWriter
    ) {
        writer.object { writer in
            writer.name("id")
            writer.identifier(session.id)
            writer.name("active")
            writer.bool(isActive)
            writer.name("expires_at")
            writer.time(session.expiresAt)
            writer.name("authenticated_at")
            writer.time(session.authenticatedAt)
            writer.name("authenticator_assurance_level")
            writer.string(session.authentications.level.rawValue)
            writer.name("authentication_methods")
            writer.array { writer in
                for authentication in session.authentications {
                    writer.object { writer in
                        writer.name("method")
                        writer.string(authentication.method.name)
                        writer.name("aal")
                        writer.string(authentication.method.level.rawValue)
                        writer.name("completed_at")
                        writer.time(authentication.completedAt)
                    }
                }
            }
            writer.name("issued_at")
            writer.time(session.issuedAt)
            if let clientID = session.clientID {
                writer.name("client_id")
                writer.string(clientID)
                if let name = session.clientName, !name.isEmpty {
                    writer.name("client_name")
                    writer.string(name)
                }
            }
            writer.write(duties)
            writer.name("identity")
            if parts.contains(.identity) { write(identity, to: &writer) } else { writer.null() }
            writer.name("devices")
            guard parts.contains(.devices) else { return writer.null() }
            writer.array { writer in
                writer.object { writer in
                    writer.name("id")
                    writer.identifier(session.deviceID)
                    writer.name("ip_address")
                    writer.string(session.ipAddress)
                    writer.name("user_agent")
                    writer.string(session.userAgent)
                    writer.name("location")
                    writer.string("")
                }
            }
        }
    }

    /// Returns the JSON body of a login response.
    ///
    /// - Parameters:
    ///   - session: The session that was created or extended.
    ///   - token: The session token, which is written in plain text, or `nil` for browsers, whose scripts must not
    ///     read it.
    ///   - identity: The identity that logged in.
    ///   - duties: The steps that the user has to take.
    ///   - steps: The next steps. If there are none, the `continue_with` member is `null`.
    /// - Returns: The JSON text in UTF-8.
    package func login(
        _ session: Session,
        token: SessionToken?,
        of identity: IdentityRecord,
        duties: [AccountDuty],
        then steps: [ContinueWith] = []
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            if let token {
                writer.name("session_token")
                writer.string(token.secret.exposed)
            }
            writer.name("session")
            write(session, of: identity, duties: duties, to: &writer)
            writer.name("continue_with")
            if steps.isEmpty { writer.null() } else { writer.continuation(steps) }
        }
        return writer.bytes
    }
}
