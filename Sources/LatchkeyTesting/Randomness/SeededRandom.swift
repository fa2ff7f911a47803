public import LatchkeyModel

/// A random source for tests that produces reproducible bytes.
///
/// The random bytes are predictable, so this source must not be used outside of tests.
///
/// The generator is SplitMix64 (Steele, Lea and Flood, 2014).
public final class SeededRandom: RandomSource {
    private let state: Locked<UInt64>

    /// Creates a random source.
    ///
    /// - Parameter seed: The initial state. The same seed always produces the same sequence.
    public init(seed: UInt64 = 1) {
        state = Locked(seed)
    }

    /// Returns the next bytes of the sequence.
    ///
    /// You can call this method from any thread.
    ///
    /// - Parameter count: The number of bytes. Each call starts with a new 64-bit word, so two short calls
    ///   return different bytes than one long call.
    /// - Returns: An array of `count` random bytes.
    public func bytes(_ count: Int) -> [UInt8] {
        state.withLock { state in
            var bytes = [UInt8]()
            bytes.reserveCapacity(count + 7)
            while bytes.count < count {
                var word = Self.next(&state)
                for _ in 0..<8 {
                    bytes.append(UInt8(truncatingIfNeeded: word))
                    word >>= 8
                }
            }
            bytes.removeLast(bytes.count - count)
            return bytes
        }
    }

    /// Returns the next SplitMix64 word, and advances the state by the algorithm's odd constant.
    private static func next(_ state: inout UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
