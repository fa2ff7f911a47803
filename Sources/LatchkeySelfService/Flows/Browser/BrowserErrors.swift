import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Issues and reads the ids of errors that browsers are shown.
///
/// An id contains the error, so no row is stored. It is a version 4 UUID, whose 122 free bits are the seconds
/// since 1970 (34 bits), the entry of the list (8 bits), random bits (32 bits) and a MAC (48 bits).
struct BrowserErrors: Sendable {
    private let keys: [HMACKey]
    private let random: any RandomSource

    init(secrets: ServerSecrets, random: any RandomSource) {
        keys = secrets.keys(for: .errorID).map(\.key)
        self.random = random
    }

    /// Returns a new id for an error.
    func id(for error: ServerError, at now: Timestamp) -> Identifier {
        id(for: BrowserError(error), at: now)
    }

    func id(for error: BrowserError, at now: Timestamp) -> Identifier {
        let seconds = UInt64(max(0, now.microseconds) / 1_000_000) & (1 << 34 - 1)
        let noise = random.bytes(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Self.identifier(seconds << 8 | UInt64(error.rawValue), noise, key: keys[0])
    }

    /// Returns the error with an id, and when it happened, or `nil` if this server hasn't issued the id.
    func error(_ id: Identifier) -> (error: BrowserError, at: Timestamp)? {
        let (head, tail) = Self.parts(of: id)
        let (payload, noise) = (head >> 18, (head & 0x3FFFF) << 14 | tail >> 48)
        guard keys.contains(where: { Self.identifier(payload, noise, key: $0) == id }),
            let error = BrowserError(rawValue: UInt8(truncatingIfNeeded: payload))
        else { return nil }
        return (error, Timestamp(seconds: Int64(payload >> 8)))
    }

    /// Returns the 60 bits before and the 62 bits after the variant of a UUID.
    private static func parts(of id: Identifier) -> (UInt64, UInt64) {
        ((id.high >> 16) << 12 | id.high & 0xFFF, id.low & 0x3FFF_FFFF_FFFF_FFFF)
    }

    /// Returns the id with a payload of 42 bits and 32 random bits.
    private static func identifier(_ payload: UInt64, _ noise: UInt64, key: HMACKey) -> Identifier {
        let check = key.authenticate(Identifier(high: payload, low: noise).bytes)[0..<6]
            .reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let high = payload << 18 | noise >> 14
        let low = (noise & 0x3FFF) << 48 | check
        return Identifier(version4High: (high >> 12) << 16 | high & 0xFFF, low: low)
    }
}
