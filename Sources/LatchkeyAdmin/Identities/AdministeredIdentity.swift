import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// An identity as shown to operators, with its admin metadata and optionally its credentials.
struct AdministeredIdentity: Sendable {
    /// The metadata of a password, whose hash is never shown.
    struct Password: Sendable {
        /// The kind of the hash, such as `argon2id` or `bcrypt`; `unknown` for any other format.
        let kind: String
        /// The time at which a password was added to the identity.
        ///
        /// Replacing the password does not change this time.
        let createdAt: Timestamp
        /// The time of the last change, which may have stored a new hash of the same password.
        let updatedAt: Timestamp
    }

    /// The addresses that login codes can be sent to.
    ///
    /// Kratos stores this credential, whereas Latchkey derives it from the traits, with the timestamps of the
    /// identity.
    struct CodeCredential: Sendable {
        /// The addresses in the order of the schema, of which there is at least one.
        let addresses: [ContactAddress]
        let createdAt: Timestamp
        let updatedAt: Timestamp
    }

    /// The part of the identity that is also shown to its owner.
    let record: IdentityRecord
    /// The metadata for operators as JSON; `nil` if the identity has none.
    let adminMetadata: [UInt8]?
    /// The time from which the account is erased; `nil` if its owner has not deleted it.
    let deletionAt: Timestamp?

    /// The login identifiers, the password and the code credential; `nil` if credentials were not read, for
    /// example in lists.
    var credentials: (identifiers: [String], password: Password?, code: CodeCredential?)?

    /// Creates an identity from the first six columns of a row: id, schema_id, state, body, metadata_admin and
    /// deletion_at.
    init(row: Row) throws(DatabaseError) {
        record = try IdentityRecord(row: row)
        adminMetadata = try row.optional(4, as: Row.blob)
        deletionAt = try row.optional(5, as: Row.time)
    }
}

extension AdministeredIdentity.Password {
    /// Creates the metadata of a password from the columns `hash`, `created_at` and `updated_at`.
    ///
    /// - Parameters:
    ///   - row: The row to read.
    ///   - column: The index of the column `hash`; if its value is null, the result is `nil`.
    /// - Throws: ``DatabaseError``.
    init?(row: Row, from column: Int) throws(DatabaseError) {
        guard let hash = try row.optional(column, as: Row.text) else { return nil }
        kind = StoredHash.kind(of: hash)
        createdAt = try row.time(column + 1)
        updatedAt = try row.time(column + 2)
    }
}

extension AdministeredIdentity.CodeCredential {
    /// Finds the addresses that are login identifiers and to which login codes can be sent, or returns `nil`
    /// if there are none.
    ///
    /// - Parameters:
    ///   - record: The identity, whose traits and timestamps are read from its JSON.
    ///   - schema: The schema of the identity. If it is `nil` because the schema no longer exists, the result
    ///     is `nil`.
    ///   - identifiers: The login identifiers of the identity, which do not include released addresses.
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
    /// Writes an identity as shown to operators.
    ///
    /// - Parameters:
    ///   - identity: The identity.
    ///   - kinds: The kinds of credentials whose details are included. Password hashes are never included.
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
            writer.name("metadata_admin")
            if let metadata = identity.adminMetadata { writer.raw(metadata) } else { writer.null() }
            if let deletionAt = identity.deletionAt {
                writer.name("deletion_at")
                writer.time(deletionAt)
            }
        }
    }

    /// Writes the credential `password`, whose details contain only the kind of the hash.
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

    /// Writes the credential `code` with sorted identifiers, and with addresses in the order of the schema in
    /// its configuration.
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
    ///   - kind: The value of the member `type`.
    ///   - identifiers: The login identifiers of the credential.
    ///   - createdAt: The time of creation.
    ///   - updatedAt: The time of the last change.
    ///   - details: Writes further members of the same object, such as `config`.
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
