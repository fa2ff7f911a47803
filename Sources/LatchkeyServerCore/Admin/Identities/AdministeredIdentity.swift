import LatchkeyModel
import LatchkeyWire

/// An identity as an operator sees it.
struct AdministeredIdentity: Sendable {
    /// That it has a password, and since when.
    struct Password: Sendable {
        let kind: String
        let createdAt: Timestamp
        let updatedAt: Timestamp
    }

    let record: IdentityRecord
    let adminMetadata: [UInt8]?

    /// What it logs in with, and its password; nothing in lists, which show no credentials.
    var credentials: (identifiers: [String], password: Password?)?

    /// Reads an identity from the columns id, schema_id, state, body and metadata_admin, the first five.
    init(row: Row) throws(DatabaseError) {
        record = try IdentityRecord(row: row)
        adminMetadata = try row.optional(4, Row.blob)
    }
}

extension AdministeredIdentity.Password {
    /// Reads a password from the columns hash, created_at and updated_at, of which a missing password has none.
    init?(row: Row, from column: Int) throws(DatabaseError) {
        guard let hash = try row.optional(column, Row.text) else { return nil }
        kind = StoredHash.kind(of: hash)
        createdAt = try row.time(column + 1)
        updatedAt = try row.time(column + 2)
    }
}

extension IdentityWriter {
    /// Writes an identity as an operator sees it.
    ///
    /// - Parameters:
    ///   - identity: The identity.
    ///   - showsKind: Whether to tell how its password is hashed. The hash itself is nobody's to read.
    ///   - writer: Where to write.
    func write(_ identity: AdministeredIdentity, showsKind: Bool = false, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("id")
            writer.identifier(identity.record.id)
            if let (identifiers, password) = identity.credentials {
                writer.name("credentials")
                writer.object { writer in
                    guard let password else { return }
                    writer.name("password")
                    write(password, identifiers, showsKind, to: &writer)
                }
            }
            writer.name("schema_id")
            writer.string(identity.record.schemaID)
            writer.name("schema_url")
            writer.string(schemaURL(of: identity.record.schemaID))
            writer.raw(identity.record.body)
            writer.name("metadata_admin")
            if let metadata = identity.adminMetadata { writer.raw(metadata) } else { writer.null() }
        }
    }

    private func write(
        _ password: AdministeredIdentity.Password,
        _ identifiers: [String],
        _ showsKind: Bool,
        to writer: inout JSONWriter
    ) {
        writer.object { writer in
            writer.name("type")
            writer.string("password")
            writer.name("identifiers")
            writer.array { writer in for identifier in identifiers { writer.string(identifier) } }
            if showsKind {
                writer.name("config")
                writer.object { writer in
                    writer.name("algorithm")
                    writer.string(password.kind)
                }
            }
            writer.name("version")
            writer.integer(1)
            writer.times(password.createdAt, password.updatedAt)
        }
    }
}
