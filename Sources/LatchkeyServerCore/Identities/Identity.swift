package import LatchkeyModel
import LatchkeyWire

/// An identity with all that belongs to it, as it is made.
package struct Identity: Sendable {
    /// An address that can be verified.
    package struct VerifiableAddress: Sendable {
        package let id: Identifier
        package let address: Traits.Address
        package let verifiedAt: Timestamp?
    }

    /// An address that helps to get back into the account.
    package struct RecoveryAddress: Sendable {
        package let id: Identifier
        package let address: Traits.Address
    }

    package let id: Identifier
    package let schemaID: String
    package let traits: Traits
    package let verifiable: [VerifiableAddress]
    package let recovery: [RecoveryAddress]
    package let createdAt: Timestamp

    /// Makes an identity.
    ///
    /// - Parameters:
    ///   - schema: Its schema.
    ///   - traits: Its traits.
    ///   - verified: The addresses whose control has been proved.
    ///   - now: The time.
    ///   - random: The source of randomness.
    package init(
        _ schema: IdentitySchema,
        _ traits: Traits,
        verified: Set<String>,
        at now: Timestamp,
        random: some RandomSource
    ) {
        id = Identifier(random: random)
        schemaID = schema.id
        self.traits = traits
        verifiable = traits.verifiable.map { address in
            VerifiableAddress(
                id: Identifier(random: random),
                address: address,
                verifiedAt: verified.contains(address.value) ? now : nil
            )
        }
        recovery = traits.recovery.map { RecoveryAddress(id: Identifier(random: random), address: $0) }
        createdAt = now
    }

    /// What sessions say about it.
    package var record: IdentityRecord {
        IdentityRecord(id: id, schemaID: schemaID, isActive: true, body: body)
    }

    /// The JSON members after `schema_url`.
    private var body: [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.object { writer in
            writer.name("state")
            writer.string(IdentityRecord.active)
            writer.name("state_changed_at")
            writer.time(createdAt)
            writer.name("traits")
            writer.raw(traits.json)
            if !verifiable.isEmpty {
                writer.name("verifiable_addresses")
                writer.array { writer in for address in verifiable { write(address, to: &writer) } }
            }
            if !recovery.isEmpty {
                writer.name("recovery_addresses")
                writer.array { writer in for address in recovery { write(address, to: &writer) } }
            }
            writer.name("metadata_public")
            writer.null()
            writeTimes(to: &writer)
            writer.name("organization_id")
            writer.null()
        }
        return Array(writer.bytes.dropFirst().dropLast())
    }

    private func write(_ address: VerifiableAddress, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("id")
            writer.identifier(address.id)
            writer.name("value")
            writer.string(address.address.value)
            writer.name("verified")
            writer.bool(address.verifiedAt != nil)
            writer.name("via")
            writer.string(address.address.via.rawValue)
            writer.name("status")
            writer.string(address.status)
            if let verifiedAt = address.verifiedAt {
                writer.name("verified_at")
                writer.time(verifiedAt)
            }
            writeTimes(to: &writer)
        }
    }

    private func write(_ address: RecoveryAddress, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("id")
            writer.identifier(address.id)
            writer.name("value")
            writer.string(address.address.value)
            writer.name("via")
            writer.string(address.address.via.rawValue)
            writeTimes(to: &writer)
        }
    }

    private func writeTimes(to writer: inout JSONWriter) {
        writer.name("created_at")
        writer.time(createdAt)
        writer.name("updated_at")
        writer.time(createdAt)
    }
}

extension Identity.VerifiableAddress {
    /// How far its verification has come, as Kratos names it.
    package var status: String {
        verifiedAt == nil ? "pending" : "completed"
    }
}
