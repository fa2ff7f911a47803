import LatchkeyModel
import LatchkeyServerKit

/// A request to revoke or delete several sessions, in Kratos's format.
struct SessionBulkChange: Sendable {
    /// The action to perform on each session.
    enum Action: String, Sendable, CaseIterable {
        /// Revokes the session.
        ///
        /// Sessions that aren't active don't count as changed.
        case disable
        /// Deletes the session and its tokens, even if the session has already ended.
        case delete
    }

    /// The sessions to perform the action on.
    enum Scope: Sendable {
        /// The sessions with the given ids, which are unique and in ascending order.
        case sessions([Identifier])
        /// All sessions of the identities with the given ids, which are unique and in ascending order.
        case identities([Identifier])
        /// All sessions of all identities. They are changed in batches.
        ///
        /// To select all sessions, a request contains `*` in place of an identity's id.
        case all
    }

    /// The maximum number of ids in one request.
    static let mostIDs = 500

    /// The maximum number of sessions that a single request for all sessions (``Scope/all``) changes.
    static let batch = 1000

    let action: Action
    let scope: Scope

    /// Reads a request.
    ///
    /// - Parameter body: A JSON object with the member `action` and either `sessions` or `identities`.
    /// - Throws: ``ServerError`` with status 400 if the request is malformed.
    init(_ body: OrderedJSON) throws(ServerError) {
        _ = try body.members(among: ["action", "sessions", "identities"])
        guard case .string(let name)? = body["action"], let action = Action(rawValue: name) else {
            throw .malformed("The member action must be disable or delete.")
        }
        self.action = action
        let (sessions, identities) = (
            try Self.texts("sessions", of: body), try Self.texts("identities", of: body)
        )
        guard sessions.isEmpty != identities.isEmpty else {
            throw .malformed("Exactly one of sessions and identities must be given, as a non-empty array.")
        }
        if identities == ["*"] {
            scope = .all
        } else if identities.isEmpty {
            scope = .sessions(try Self.identifiers(sessions, of: "sessions"))
        } else {
            scope = .identities(try Self.identifiers(identities, of: "identities"))
        }
    }

    /// Returns the strings in an array member.
    ///
    /// Returns an empty array if the member is missing or null.
    ///
    /// - Throws: ``ServerError`` with status 400 if the member has a different type or contains more than
    ///   ``mostIDs`` elements.
    private static func texts(_ name: String, of body: OrderedJSON) throws(ServerError) -> [String] {
        switch body[name] {
        case nil, .null?: return []
        case .array(let values)?:
            guard values.count <= mostIDs else {
                throw .malformed("A request can contain at most \(mostIDs) ids.")
            }
            return try values.map { value throws(ServerError) in
                guard case .string(let text) = value else {
                    throw .malformed("The member \(name) must contain strings only.")
                }
                return text
            }
        case .some: throw .malformed("The member \(name) must be an array.")
        }
    }

    /// Parses ids, and returns them sorted and without duplicates.
    ///
    /// A fixed order prevents deadlocks between concurrent requests.
    private static func identifiers(_ texts: [String], of name: String) throws(ServerError) -> [Identifier] {
        let ids = try texts.map { text throws(ServerError) in
            guard let id = Identifier(text) else {
                throw .malformed("The member \(name) must contain UUIDs only.")
            }
            return id
        }
        return Set(ids).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }
}
