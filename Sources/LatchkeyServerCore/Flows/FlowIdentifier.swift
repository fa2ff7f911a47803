import LatchkeyCrypto
package import LatchkeyModel

/// Makes and checks the ids of flows that need no row until something is submitted to them.
///
/// The 122 free bits of a version 4 UUID hold 41 bits of milliseconds since 2024, 4 bits that name the secret,
/// 45 random bits, and 32 bits of a keyed check over those, the kind of flow and, where it is named or not the default
/// one, the identity schema.
package struct FlowIdentifier: Sendable {
    private static let epoch = Timestamp(seconds: 1_704_067_200)

    private let keys: [ServerSecrets.IdentifiedKey]

    package init(secrets: ServerSecrets) {
        keys = secrets.keys(for: .flowID)
    }

    /// Makes an id; it keeps the milliseconds of the flow's time of issue.
    package func issue(
        _ kind: FlowKind,
        schema: String? = nil,
        at now: Timestamp,
        random: some RandomSource
    ) -> Identifier {
        let milliseconds = UInt64(max(0, now.microseconds - Self.epoch.microseconds) / 1000) & (1 << 41 - 1)
        let noise = random.bytes(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & (1 << 45 - 1)
        let high = milliseconds << 19 | UInt64(keys[0].id) << 15 | noise >> 30
        let low = noise & (1 << 30 - 1)
        let check = Self.check(kind, schema, high, low, keys[0].key)
        return Identifier(version4High: (high >> 12) << 16 | high & 0xFFF, low: low << 32 | check)
    }

    /// The time of issue of an id made here for this kind of flow and schema; `nil` for every other id.
    package func issuedAt(_ identifier: Identifier, as kind: FlowKind, schema: String? = nil) -> Timestamp? {
        let high = (identifier.high >> 16) << 12 | identifier.high & 0xFFF
        let low = identifier.low & 0x3FFF_FFFF_FFFF_FFFF
        let id = UInt8(high >> 15 & 15)
        guard
            Identifier(version4High: identifier.high, low: identifier.low) == identifier,
            keys.contains(where: {
                $0.id == id && Self.check(kind, schema, high, low >> 32, $0.key) == low & 0xFFFF_FFFF
            })
        else { return nil }
        return Timestamp(microseconds: Self.epoch.microseconds + Int64(high >> 19) * 1000)
    }

    private static func check(
        _ kind: FlowKind,
        _ schema: String?,
        _ high: UInt64,
        _ low: UInt64,
        _ key: HMACKey
    ) -> UInt64 {
        let message =
            Identifier(high: high, low: low).bytes + Array(kind.rawValue.utf8)
            + (schema.map { [0] + Array($0.utf8) } ?? [])
        return key.authenticate(message)[0..<4].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
