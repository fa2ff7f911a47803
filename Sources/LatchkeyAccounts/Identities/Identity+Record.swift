import LatchkeyCourier
package import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension Identity {
    /// The identity's pre-rendered JSON for responses about sessions.
    ///
    /// The JSON is rendered on every access. The repository stores this JSON together with the identity.
    package var record: IdentityRecord {
        IdentityRecord(
            id: id,
            schemaID: schemaID,
            isActive: state == .active,
            body: body,
            waived: duties
        )
    }

    /// The waived fields for the `duties` column, one per line, or `nil` if the user has no duty.
    ///
    /// The text is empty if the user has to add an address, but no field was removed.
    var duties: String? {
        waivedFields.isEmpty && !isStranded ? nil : waivedFields.sorted().joined(separator: "\n")
    }

    /// The JSON members that come after `schema_url`, without the enclosing braces.
    private var body: [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.object { writer in
            if let externalID {
                writer.name("external_id")
                writer.string(externalID)
            }
            writer.name("state")
            writer.string(state.rawValue)
            writer.name("state_changed_at")
            writer.time(stateChangedAt)
            writer.name("traits")
            writer.raw(traits)
            if !verifiable.isEmpty {
                writer.name("verifiable_addresses")
                writer.array { writer in for address in verifiable { write(address, to: &writer) } }
            }
            if !recovery.isEmpty {
                writer.name("recovery_addresses")
                writer.array { writer in for address in recovery { write(address, to: &writer) } }
            }
            writer.name("metadata_public")
            write(metadata: publicMetadata, reclaimedAt: reclaimedAt, to: &writer)
            writer.times(createdAt: createdAt, updatedAt: updatedAt)
            writer.name("organization_id")
            writer.null()
        }
        return Array(writer.bytes.dropFirst().dropLast())
    }

    /// Writes the public metadata set by the operator.
    ///
    /// If the account was taken over, we add a `reclaimed_at` member with the time of the last takeover.
    private func write(metadata: [UInt8]?, reclaimedAt: Timestamp?, to writer: inout JSONWriter) {
        guard let reclaimedAt else {
            if let metadata { writer.raw(metadata) } else { writer.null() }
            return
        }
        let own = metadata.flatMap { try? JSONParser.parse($0, from: .storage) }
        writer.object { writer in
            if case .object(let members)? = own {
                for member in members where member.name != "reclaimed_at" {
                    writer.name(escaping: member.name)
                    writer.value(ordered: member.value)
                }
            }
            writer.name("reclaimed_at")
            writer.time(reclaimedAt)
        }
    }

    /// Writes a verifiable address with the member names that Kratos uses.
    ///
    /// `verified_at` is left out if the address isn't verified.
    private func write(_ address: VerifiableAddress, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("id")
            writer.identifier(address.id)
            writer.name("value")
            writer.string(address.address.value)
            writer.name("verified")
            writer.bool(address.isVerified)
            writer.name("via")
            writer.string(address.address.via.rawValue)
            writer.name("status")
            writer.string(address.status.rawValue)
            if let verifiedAt = address.verifiedAt {
                writer.name("verified_at")
                writer.time(verifiedAt)
            }
            writer.times(createdAt: address.createdAt, updatedAt: address.updatedAt)
        }
    }

    /// Writes a recovery address with the member names that Kratos uses.
    private func write(_ address: RecoveryAddress, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("id")
            writer.identifier(address.id)
            writer.name("value")
            writer.string(address.address.value)
            writer.name("via")
            writer.string(address.address.via.rawValue)
            writer.times(createdAt: address.createdAt, updatedAt: address.updatedAt)
        }
    }
}

extension JSONWriter {
    /// Writes the `created_at` and `updated_at` members.
    package mutating func times(createdAt: Timestamp, updatedAt: Timestamp) {
        name("created_at")
        time(createdAt)
        name("updated_at")
        time(updatedAt)
    }
}
