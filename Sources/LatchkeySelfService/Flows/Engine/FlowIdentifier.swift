import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit

/// Issues and verifies the ids of flows that aren't stored before their first submission.
///
/// The id is a version 4 UUID. The UUID's 122 free bits contain the milliseconds since 2024 (41 bits), the id
/// of the secret (4 bits), random bits (45 bits) and a MAC (32 bits). The MAC covers the other bits, the kind
/// and type of flow and the identity schema. The schema is omitted if it is the default and the request didn't name
/// one.
///
/// In the id of a browser's flow, 32 of the random bits are a MAC over the browser's CSRF secret, which binds the
/// flow to the browser. The other bits of the id are part of the message, so the ids of different browsers and
/// different flows differ.
package struct FlowIdentifier: Sendable {
    /// The epoch of the encoded time, 2024-01-01T00:00:00Z.
    ///
    /// The time is encoded as a number of milliseconds with 41 bits, which won't overflow before 2093.
    private static let epoch = Timestamp(seconds: 1_704_067_200)

    /// One key per server secret, with the id of the secret.
    ///
    /// The key of the current secret comes first.
    private let keys: [ServerSecrets.IdentifiedKey]
    private let bindingKeys: [ServerSecrets.IdentifiedKey]

    /// Derives the keys from the server's secrets.
    ///
    /// All nodes must have the same secrets, because the first submission to a flow may go to any of them.
    package init(secrets: ServerSecrets) {
        keys = secrets.keys(for: .flowID)
        bindingKeys = secrets.keys(for: .flowBinding)
    }

    /// Issues an id with the current secret.
    ///
    /// The time of issue is truncated to milliseconds.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - type: The type of client.
    ///   - schema: The identity schema. Pass `nil` for the default schema if the request didn't name one.
    ///   - browser: The secret of the browser that the flow belongs to, or `nil` for native apps.
    ///   - now: The time of issue.
    ///   - random: The source of the random bits.
    /// - Returns: A version 4 UUID.
    package func issue(
        _ kind: FlowKind,
        type: FlowType = .api,
        schema: String? = nil,
        boundTo browser: CSRFSecret? = nil,
        at now: Timestamp,
        random: some RandomSource
    ) -> Identifier {
        let milliseconds = UInt64(max(0, now.microseconds - Self.epoch.microseconds) / 1000) & (1 << 41 - 1)
        var noise = random.bytes(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & (1 << 45 - 1)
        let prefix = milliseconds << 19 | UInt64(keys[0].id) << 15
        if let browser {
            let number = noise >> 32
            noise = number << 32 | Self.binding(prefix | number, to: browser, key: bindingKeys[0].key)
        }
        let high = prefix | noise >> 30
        let low = noise & (1 << 30 - 1)
        let check = Self.check(kind, type: type, schema: schema, high: high, low: low, key: keys[0].key)
        return Identifier(version4High: (high >> 12) << 16 | high & 0xFFF, low: low << 32 | check)
    }

    /// Returns the time at which this server issued an id, or `nil` if it didn't issue the id for this kind
    /// and type of flow and identity schema.
    ///
    /// Ids issued with an earlier secret are still valid.
    ///
    /// The lifespan isn't part of the id, so the caller has to decide whether the flow has expired. The
    /// probability that a guessed id is valid is at most 2⁻³² per schema and key.
    package func issuedAt(
        _ identifier: Identifier,
        as kind: FlowKind,
        type: FlowType = .api,
        schema: String? = nil
    ) -> Timestamp? {
        let high = (identifier.high >> 16) << 12 | identifier.high & 0xFFF
        let low = identifier.low & 0x3FFF_FFFF_FFFF_FFFF
        let id = UInt8(high >> 15 & 15)
        guard
            Identifier(version4High: identifier.high, low: identifier.low) == identifier,
            keys.contains(where: {
                $0.id == id
                    && Self.check(kind, type: type, schema: schema, high: high, low: low >> 32, key: $0.key)
                        == low & 0xFFFF_FFFF
            })
        else { return nil }
        return Timestamp(microseconds: Self.epoch.microseconds + Int64(high >> 19) * 1000)
    }

    /// Returns whether the flow with an id belongs to a browser.
    ///
    /// The id must be one that this server has issued for a browser.
    package func isBound(_ identifier: Identifier, to browser: CSRFSecret) -> Bool {
        let high = (identifier.high >> 16) << 12 | identifier.high & 0xFFF
        let noise = (high & 0x7FFF) << 30 | (identifier.low & 0x3FFF_FFFF_FFFF_FFFF) >> 32
        let payload = high & ~0x7FFF | noise >> 32
        return bindingKeys.contains {
            $0.id == UInt8(high >> 15 & 15)
                && Self.binding(payload, to: browser, key: $0.key) == noise & 0xFFFF_FFFF
        }
    }

    /// Returns the 32-bit MAC over the payload of an id and the secret of a browser.
    private static func binding(_ payload: UInt64, to browser: CSRFSecret, key: HMACKey) -> UInt64 {
        let message = Identifier(high: payload, low: 0).bytes + browser.bytes
        return key.authenticate(message)[0..<4].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns the 32-bit MAC over the payload of an id, the kind and type of flow and the schema.
    private static func check(
        _ kind: FlowKind,
        type: FlowType,
        schema: String?,
        high: UInt64,
        low: UInt64,
        key: HMACKey
    ) -> UInt64 {
        var message = Identifier(high: high, low: low).bytes
        message.append(contentsOf: kind.rawValue.utf8)
        // No name of a kind contains this byte, and no name of a schema starts with it.
        if type == .browser { message.append(1) }
        if let schema {
            message.append(0)
            message.append(contentsOf: schema.utf8)
        }
        return key.authenticate(message)[0..<4].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
