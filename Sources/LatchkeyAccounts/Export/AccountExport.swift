import LatchkeyCourier
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Exports all data that the server stores about an account, for the account's owner.
///
/// The export leaves out secrets, hashes of secrets, and data about other people. Therefore, client addresses
/// are only included for the user's own actions, and if the account was taken over, everything from before
/// that time is left out. Rate limit counters and metadata that only operators can
/// read are also left out.
package struct AccountExport: Sendable {
    /// How many sessions or events we read and write to the client at a time.
    private static let pageSize = 250

    private let database: any Database
    private let data: AccountData
    private let directory: SessionDirectory
    private let writer: IdentityWriter

    /// Creates an instance.
    ///
    /// - Parameters:
    ///   - database: The database. The sections of the export are read sequentially.
    ///   - data: The data that other modules store about accounts.
    ///   - directory: Reads pages of sessions.
    ///   - writer: Writes identities and sessions as JSON.
    package init(
        database: any Database,
        data: AccountData,
        directory: SessionDirectory,
        writer: IdentityWriter
    ) {
        self.data = data
        self.database = database
        self.directory = directory
        self.writer = writer
    }

    /// Returns the export as a JSON object that is streamed to the client.
    ///
    /// Everything except sessions and events is read before this method returns, so most failures result in
    /// an error response and not in an incomplete body.
    ///
    /// - Parameters:
    ///   - id: The account's id.
    ///   - now: The time of the request, which determines which sessions are active.
    /// - Returns: The body, or `nil` if the account no longer exists.
    /// - Throws: ``DatabaseError``.
    func body(of id: Identifier, at now: Timestamp) async throws -> HTTP.BodyStream? {
        guard let (head, start) = try await head(of: id, at: now) else { return nil }
        let beginning = Array(head.dropLast())
        return HTTP.BodyStream { write in
            try await write(beginning)
            try await write(Array(#","sessions":["#.utf8))
            try await writeSessions(of: id, since: start, at: now, by: write)
            try await write(Array(#"],"events":["#.utf8))
            try await writeEvents(of: id, since: start, by: write)
            try await write(Array("]}".utf8))
        }
    }

    /// Returns the JSON object without its sessions and events, and the time from which on rows belong to the
    /// account's present user.
    ///
    /// Returns `nil` if the account doesn't exist.
    private func head(of id: Identifier, at now: Timestamp) async throws -> ([UInt8], Timestamp)? {
        let stored = try await database.transaction { transaction in
            try IdentityRepository.load(id, in: transaction).map { identity in
                (
                    identity: identity,
                    password: try IdentityRepository.passwordTimes(of: id, in: transaction),
                    networks: try KnownNetworks.times(of: id, in: transaction)
                )
            }
        }
        guard let (identity, password, networks) = stored else { return nil }
        let start = identity.reclaimedAt ?? Timestamp(microseconds: 0)
        let certificates = try await CertificateRepository.all(of: id, in: database)
            .filter { $0.issuedAt >= start }
        let messages = try await MessageRepository.summaries(about: id, in: database)
            .filter { $0.createdAt >= start }
        let others = try await data.records(of: id, since: start, in: database)
        var json = JSONWriter()
        json.object { json in
            json.name("exported_at")
            json.time(now)
            json.name("identity")
            writer.write(identity.record, to: &json)
            if let confirmedAt = identity.confirmedAt {
                json.name("confirmed_at")
                json.time(confirmedAt)
            }
            json.name("addresses")
            json.array { json in for address in identity.allAddresses { json.write(address, of: identity) } }
            if let (createdAt, updatedAt) = password {
                json.name("password")
                json.object { $0.times(createdAt: createdAt, updatedAt: updatedAt) }
            }
            json.name("known_networks")
            json.array { json in
                for seenAt in networks {
                    json.object { json in
                        json.name("seen_at")
                        json.time(seenAt)
                    }
                }
            }
            json.name("certificates")
            json.array { json in for certificate in certificates { json.write(certificate) } }
            json.name("messages")
            json.array { json in for message in messages { json.write(message) } }
            for records in others {
                json.name(escaping: records.name)
                json.value(.array(records.rows))
            }
        }
        return (json.bytes, start)
    }

    /// Writes all sessions, whether active or not, sorted by id.
    ///
    /// The sessions don't include the identity.
    private func writeSessions(
        of id: Identifier,
        since start: Timestamp,
        at now: Timestamp,
        by write: HTTP.BodyStream.Write
    ) async throws {
        var request = PageRequest(size: Self.pageSize)
        var isFirst = true
        while true {
            let page = try await directory.page(of: id, request, isActive: nil, at: now)
            var json = JSONWriter()
            json.array { json in
                for found in page.entries where found.session.issuedAt >= start {
                    writer.write(
                        found.session,
                        of: found.identity,
                        isActive: found.isAlive(at: now),
                        with: [.devices],
                        to: &json
                    )
                }
            }
            let elements = json.elements(isFirst: isFirst)
            if !elements.isEmpty { isFirst = false }
            try await write(elements)
            guard let next = page.next else { return }
            request = PageRequest(size: Self.pageSize, after: next)
        }
    }

    /// Writes the events from the audit log, newest first.
    private func writeEvents(
        of id: Identifier,
        since start: Timestamp,
        by write: HTTP.BodyStream.Write
    ) async throws {
        var position: AuditLog.Position?
        while true {
            let events = try await AuditLog.events(
                of: id,
                after: position,
                limit: Self.pageSize,
                in: database
            )
            var json = JSONWriter()
            json.array { json in for event in events where event.time >= start { json.write(event) } }
            try await write(json.elements(isFirst: position == nil))
            guard let last = events.last, events.count == Self.pageSize, last.time >= start else { return }
            position = AuditLog.Position(time: last.time, id: last.id)
        }
    }
}

extension Identity {
    /// All addresses of the identity, including released ones, sorted by value.
    fileprivate var allAddresses: [ContactAddress] {
        addresses.union(addressStates.keys).sorted { $0.value < $1.value }
    }
}

extension AuditEvent {
    /// Whether the event's client address belongs to the user.
    ///
    /// Failed attempts and reached limits may have been caused by other people.
    fileprivate var hasAddressOfUser: Bool {
        actor == .user && ![.loginFailed, .codeWrong, .limitReached].contains(action)
    }
}

extension JSONWriter {
    /// Returns the array elements that were written, without the enclosing brackets.
    ///
    /// The result starts with a comma, unless it is empty or contains the first elements of the array.
    fileprivate func elements(isFirst: Bool) -> [UInt8] {
        let elements = bytes.dropFirst().dropLast()
        guard !isFirst, !elements.isEmpty else { return Array(elements) }
        return [UInt8(ascii: ",")] + elements
    }

    fileprivate mutating func write(_ address: ContactAddress, of identity: Identity) {
        object { json in
            json.name("via")
            json.string(address.via.rawValue)
            json.name("value")
            json.string(address.value)
            json.name("state")
            json.string(identity.addressStates[address]?.rawValue ?? "claimed")
        }
    }

    fileprivate mutating func write(_ certificate: CertificateRecord) {
        object { json in
            json.name("serial_number")
            json.string(certificate.serial.description)
            json.name("session_id")
            json.identifier(certificate.session)
            json.name("key_thumbprint")
            json.string(Base64URL.encode(certificate.keyThumbprint))
            json.name("issued_at")
            json.time(certificate.issuedAt)
            json.name("not_after")
            json.time(certificate.notAfter)
            if let revokedAt = certificate.revokedAt {
                json.name("revoked_at")
                json.time(revokedAt)
            }
        }
    }

    fileprivate mutating func write(_ message: MessageRepository.Summary) {
        object { json in
            json.name("template")
            json.string(message.template)
            json.name("via")
            json.string(message.channel)
            json.name("recipient")
            json.string(message.recipient)
            json.name("status")
            json.string(message.status)
            json.name("created_at")
            json.time(message.createdAt)
        }
    }

    fileprivate mutating func write(_ event: AuditEvent) {
        object { json in
            json.name("time")
            json.time(event.time)
            json.name("actor")
            json.string(event.actor.rawValue)
            json.name("action")
            json.string(event.action.rawValue)
            if let subject = event.subject {
                json.name("subject")
                json.string(subject)
            }
            if let address = event.address, event.hasAddressOfUser {
                json.name("ip_address")
                json.string(address)
            }
        }
    }
}
