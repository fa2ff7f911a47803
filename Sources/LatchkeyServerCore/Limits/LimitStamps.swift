import LatchkeyModel

/// The times of recent events as they stand in the database: eight bytes each, in order.
struct LimitStamps {
    /// The earliest first.
    private(set) var times: [Timestamp]

    init() {
        times = []
    }

    /// Reads what the database holds; anything but whole stamps is cut off.
    init(_ bytes: [UInt8]) {
        times = stride(from: 0, to: bytes.count - bytes.count % 8, by: 8).map { start in
            let word = bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Timestamp(microseconds: Int64(bitPattern: word))
        }
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(times.count * 8)
        for time in times {
            let word = UInt64(bitPattern: time.microseconds)
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return bytes
    }

    /// Drops what matters no more.
    ///
    /// Times that lie ahead were written before the clock was set back; they become now, or they would
    /// count until the clock is there again.
    func recent(at now: Timestamp, horizon: Duration) -> LimitStamps {
        var stamps = LimitStamps()
        stamps.times = times.map { min($0, now) }.filter { now - $0 < horizon }
        return stamps
    }

    /// How long ago the events were, the latest first.
    func ages(at now: Timestamp) -> [Duration] {
        times.reversed().map { now - $0 }
    }

    /// Adds an event that happens now, which is not before any other.
    mutating func append(_ now: Timestamp) {
        times.append(now)
    }

    /// Takes one event away; events at the same time are alike.
    mutating func remove(_ time: Timestamp) -> Bool {
        guard let place = times.lastIndex(of: time) else { return false }
        times.remove(at: place)
        return true
    }
}
