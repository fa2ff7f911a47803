/// A source of unpredictable bytes.
public protocol RandomSource: Sendable {
    /// Returns new random bytes.
    ///
    /// - Parameter count: The number of bytes to generate.
    /// - Returns: An array of `count` random bytes.
    func bytes(_ count: Int) -> [UInt8]
}

extension RandomSource {
    /// Returns a random duration from a range.
    ///
    /// There are 65,536 equally likely values.
    ///
    /// If the range is empty, its lower bound is returned.
    package func duration(in range: Range<Duration>) -> Duration {
        let draw = bytes(2).reduce(0) { $0 << 8 | Int($1) }
        return range.lowerBound + (range.upperBound - range.lowerBound) * draw / 65_536
    }
}

/// The operating system's random number generator.
public struct SystemRandom: RandomSource {
    /// Creates a source that uses the operating system's random number generator.
    public init() {}

    /// Returns random bytes from the operating system.
    ///
    /// - Parameter count: The number of bytes to generate.
    /// - Returns: An array of `count` random bytes.
    public func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var bytes = [UInt8]()
        bytes.reserveCapacity(count + 7)
        while bytes.count < count {
            var word = generator.next()
            for _ in 0..<8 {
                bytes.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
