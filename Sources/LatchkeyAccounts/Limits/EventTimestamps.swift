import LatchkeyModel

/// The timestamps of recent events.
///
/// The timestamps are sorted and stored as eight bytes each in big-endian order.
struct EventTimestamps {
    /// The timestamps, oldest first.
    private(set) var times: [Timestamp]

    /// Creates a list, which is stored as an empty blob if there are no timestamps.
    init(_ times: [Timestamp] = []) {
        self.times = times
    }

    /// Parses the stored form.
    ///
    /// If the last timestamp is incomplete, it is ignored.
    init(bytes: [UInt8]) {
        times = stride(from: 0, to: bytes.count - bytes.count % 8, by: 8).map { start in
            let word = bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Timestamp(microseconds: Int64(bitPattern: word))
        }
    }

    /// The stored form, in microseconds since 1970.
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

    /// Returns the timestamps of all events that happened within the horizon.
    ///
    /// Timestamps can be in the future if the clock was set back after they were stored. We replace future
    /// timestamps with the current time. Otherwise, these events would be counted for too long.
    ///
    /// Events that are exactly as old as the horizon are left out.
    func recent(at now: Timestamp, horizon: Duration) -> EventTimestamps {
        EventTimestamps(times.map { min($0, now) }.filter { now - $0 < horizon })
    }

    /// Returns the timestamps that are later than now, but not by more than the given time.
    ///
    /// The time at which a bucket is full again is always in the future. If the clock was set back, it can be
    /// later than the bucket needs to fill up.
    func pending(at now: Timestamp, atMost longest: Duration) -> EventTimestamps {
        EventTimestamps(times.map { min($0, now + longest) }.filter { $0 > now })
    }

    /// Returns the timestamps that are later than the given one.
    func since(_ start: Timestamp) -> EventTimestamps {
        EventTimestamps(times.filter { $0 > start })
    }

    /// Returns the ages of the events, starting with the most recent one.
    func ages(at now: Timestamp) -> [Duration] {
        times.reversed().map { now - $0 }
    }

    /// Adds the timestamp of a new event, which must not be earlier than the existing timestamps.
    mutating func append(_ now: Timestamp) {
        times.append(now)
    }

    /// Removes one event with the given timestamp, and returns whether an event was removed.
    mutating func remove(_ time: Timestamp) -> Bool {
        guard let place = times.lastIndex(of: time) else { return false }
        times.remove(at: place)
        return true
    }
}
