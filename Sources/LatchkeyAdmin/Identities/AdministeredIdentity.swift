import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// An identity as operators see it, with its admin metadata and, optionally, its credentials.
struct AdministeredIdentity: Sendable {
    /// The metadata of a password, without the hash.
    struct Password: Sendable {
        /// The kind of hash, such as `argon2id` or `bcrypt`, or `unknown` for any other format.
        let kind: String
        /// When a password was first added to the identity.
        ///
        /// The timestamp stays the same when the password is replaced.
        let createdAt: Timestamp
        /// When the stored hash was last changed.
        ///
        /// Replacing the hash with a new hash of the same password also counts as a change.
        let updatedAt: Timestamp
    }

    /// The addresses that login codes can be sent to.
    ///
    /// Unlike Kratos, we don't store code credentials. The credentials are derived from the identity's traits
    /// and have the identity's timestamps.
    struct CodeCredential: Sendable {
        /// The addresses, in the order of the schema.
        ///
        /// The list contains at least one address.
        let addresses: [ContactAddress]
        let createdAt: Timestamp
        let updatedAt: Timestamp
    }

    /// The part of the identity that its owner is also allowed to see.
    let record: IdentityRecord
    /// The metadata for operators as JSON, or `nil` if there is none.
    let adminMetadata: [UInt8]?
    /// When the account will be erased, or `nil` if its owner hasn't deleted it.
    let deletionAt: Timestamp?

    /// The login identifiers, the password and the code credential.
    ///
    /// `nil` if the credentials haven't been loaded.
    var credentials: (identifiers: [String], password: Password?, code: CodeCredential?)?

    /// Creates an identity from a row that starts with the six columns of an identity, `metadata_admin` and
    /// `deletion_at`.
    init(row: Row) throws(DatabaseError) {
        record = try IdentityRecord(row: row)
        adminMetadata = try row.optional(6, as: Row.blob)
        deletionAt = try row.optional(7, as: Row.time)
    }
}

extension AdministeredIdentity.Password {
    /// Creates a password's metadata from the columns `hash`, `created_at` and `updated_at`.
    ///
    /// - Parameters:
    ///   - row: The row to read.
    ///   - column: The index of the `hash` column. The result is `nil` if the hash is null.
    /// - Throws: ``DatabaseError``.
    init?(row: Row, from column: Int) throws(DatabaseError) {
        guard let hash = try row.optional(column, as: Row.text) else { return nil }
        kind = StoredHash.kind(of: hash)
        createdAt = try row.time(column + 1)
        updatedAt = try row.time(column + 2)
    }
}

extension AdministeredIdentity.CodeCredential {
    /// Finds the identity's addresses that login codes can be sent to.
    ///
    /// Returns `nil` if login codes can't be sent to any of the identity's addresses.
    ///
    /// - Parameters:
    ///   - record: The identity, whose JSON contains the traits and timestamps.
    ///   - schema: The identity's schema, or `nil` if the schema no longer exists. In that case, the
    ///     initializer returns `nil`.
    ///   - identifiers: The identity's login identifiers, without released addresses.
    init?(of record: IdentityRecord, _ schema: IdentitySchema?, identifiers: [String]) {
        guard let schema, let json = record.json, let traits = json["traits"] else { return nil }
        func time(_ name: String) -> Timestamp? {
            if case .string(let text)? = json[name] { Timestamp(rfc3339: text) } else { nil }
        }
        addresses = schema.codeAddresses(in: traits).filter { identifiers.contains($0.value) }
        guard !addresses.isEmpty, let createdAt = time("created_at"), let updatedAt = time("updated_at")
        else {
            return nil
        }
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

extension IdentityWriter {
    /// Writes an identity as operators see it.
    ///
    /// - Parameters:
    ///   - identity: The identity to write.
    ///   - kinds: The types of credentials to write with their configuration. Password hashes are never
    ///     written.
    ///   - writer: The writer to append to.
    func write(_ identity: AdministeredIdentity, showing kinds: Set<String> = [], to writer: inout JSONWriter)
    {
        writer.object { writer in
            writer.name("id")
            writer.identifier(identity.record.id)
            if let (identifiers, password, code) = identity.credentials {
                writer.name("credentials")
                writer.object { writer in
                    if let code {
                        writer.name("code")
                        write(code, isShown: kinds.contains("code"), to: &writer)
                    }
                    guard let password else { return }
                    writer.name("password")
                    write(
                        password,
                        identifiers: identifiers,
                        isShown: kinds.contains("password"),
                        to: &writer
                    )
                }
            }
            writer.name("schema_id")
            writer.string(identity.record.schemaID)
            writer.name("schema_url")
            writer.string(schemaURL(of: identity.record.schemaID))
            writer.raw(identity.record.body)
            if identity.record.waived != nil {
                writer.name("waived_fields")
                writer.array { writer in
                    for name in identity.record.waivedFields.sorted() { writer.string(name) }
                }
            }
            writer.name("metadata_admin")
            if let metadata = identity.adminMetadata { writer.raw(metadata) } else { writer.null() }
            if let deletionAt = identity.deletionAt {
                writer.name("deletion_at")
                writer.time(deletionAt)
            }
        }
    }

    /// Writes the `password` credential.
    ///
    /// The details only contain the kind of hash.
    private func write(
        _ password: AdministeredIdentity.Password,
        identifiers: [String],
        isShown: Bool,
        to writer: inout JSONWriter
    ) {
        writer.credential(
            "password",
            identifiers: identifiers,
            from: password.createdAt,
            to: password.updatedAt
        ) {
            writer in
            guard isShown else { return }
            writer.name("config")
            writer.object { writer in
                writer.name("algorithm")
                writer.string(password.kind)
            }
        }
    }

    /// Writes the `code` credential.
    ///
    /// The identifiers are sorted. The addresses in `config` are in the order in which the schema lists them.
    private func write(
        _ code: AdministeredIdentity.CodeCredential,
        isShown: Bool,
        to writer: inout JSONWriter
    ) {
        let identifiers = code.addresses.map(\.value).sorted()
        writer.credential("code", identifiers: identifiers, from: code.createdAt, to: code.updatedAt) {
            writer in
            guard isShown else { return }
            writer.name("config")
            writer.object { writer in
                writer.name("addresses")
                writer.array { writer in
                    for address in code.addresses {
                        writer.object { writer in
                            writer.name("channel")
                            writer.string(address.via.rawValue)
                            writer.name("address")
                            writer.string(address.value)
                        }
                    }
                }
            }
        }
    }
}

extension JSONWriter {
    /// Writes a credential in Kratos's format.
    ///
    /// - Parameters:
    ///   - kind: The value of the `type` member.
    ///   - identifiers: The credential's login identifiers.
    ///   - createdAt: When the credential was created.
    ///   - updatedAt: When the credential was last changed.
    ///   - details: Writes additional members, such as `config`.
    fileprivate mutating func credential(
        _ kind: String,
        identifiers: [String],
        from createdAt: Timestamp,
        to updatedAt: Timestamp,
        details: (inout JSONWriter) -> Void
    ) {
        object { writer in
            writer.name("type")
            writer.string(kind)
            writer.name("identifiers")
            writer.array { writer in for identifier in identifiers { writer.string(identifier) } }
            details(&writer)
            writer.name("version")
            writer.integer(1)
            writer.times(createdAt: createdAt, updatedAt: updatedAt)
        }
    }
}
