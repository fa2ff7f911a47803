import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Issues and reads the ids of errors that browsers are shown.
///
/// An id contains the error, so no row is stored. It is a version 4 UUID, whose 122 free bits are the seconds
/// since 1970 (34 bits), the entry of the list (8 bits), the seconds to wait (17 bits), random bits (15 bits) and a
/// MAC (48 bits).
struct BrowserErrors: Sendable {
    /// An error as it was when its id was issued.
    struct Found: Sendable {
        let error: BrowserError
        /// When the error happened.
        let at: Timestamp
        /// The number of seconds to wait from then on, or `nil` if it isn't known.
        let retryAfter: Int?

        /// Returns the number of seconds that are left to wait, or `nil` if it isn't known.
        func wait(at now: Timestamp) -> Int? {
            retryAfter.map { seconds in
                let left = (at + .seconds(seconds) - now).components
                // A clock that is behind must not announce more than the error did.
                return min(seconds, max(0, Int(left.seconds) + (left.attoseconds > 0 ? 1 : 0)))
            }
        }
    }

    /// The longest wait that an id can contain, which is more than a day.
    private static let longestWait = 1 << 17 - 1

    private let keys: [HMACKey]
    private let random: any RandomSource

    init(secrets: ServerSecrets, random: any RandomSource) {
        keys = secrets.keys(for: .errorID).map(\.key)
        self.random = random
    }

    /// Returns a new id for an error.
    func id(for error: ServerError, at now: Timestamp) -> Identifier {
        id(for: BrowserError(error), retryAfter: error.retryAfter, at: now)
    }

    func id(for error: BrowserError, retryAfter: Int? = nil, at now: Timestamp) -> Identifier {
        let seconds = UInt64(max(0, now.microseconds) / 1_000_000) & (1 << 34 - 1)
        let wait = UInt64(min(max(0, retryAfter ?? 0), Self.longestWait))
        let noise = random.bytes(2).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & 0x7FFF
        return Self.identifier(
            seconds << 8 | UInt64(error.rawValue),
            wait << 15 | noise,
            key: keys[0]
        )
    }

    /// Returns the error with an id, or `nil` if this server hasn't issued the id.
    func error(_ id: Identifier) -> Found? {
        let (head, tail) = Self.parts(of: id)
        let (payload, noise) = (head >> 18, (head & 0x3FFFF) << 14 | tail >> 48)
        guard keys.contains(where: { Self.identifier(payload, noise, key: $0) == id }),
            let error = BrowserError(rawValue: UInt8(truncatingIfNeeded: payload))
        else { return nil }
        let wait = Int(noise >> 15)
        return Found(
            error: error,
            at: Timestamp(seconds: Int64(payload >> 8)),
            retryAfter: wait > 0 ? wait : nil
        )
    }

    /// Returns the 60 bits before and the 62 bits after the variant of a UUID.
    private static func parts(of id: Identifier) -> (UInt64, UInt64) {
        ((id.high >> 16) << 12 | id.high & 0xFFF, id.low & 0x3FFF_FFFF_FFFF_FFFF)
    }

    /// Returns the id with a payload of 42 bits and 32 other bits.
    private static func identifier(_ payload: UInt64, _ noise: UInt64, key: HMACKey) -> Identifier {
        let check = key.authenticate(Identifier(high: payload, low: noise).bytes)[0..<6]
            .reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let high = payload << 18 | noise >> 14
        let low = (noise & 0x3FFF) << 48 | check
        return Identifier(version4High: (high >> 12) << 16 | high & 0xFFF, low: low)
    }
}
