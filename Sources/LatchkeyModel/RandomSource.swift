/// A source of unpredictable bytes.
public protocol RandomSource: Sendable {
    /// Returns new random bytes.
    ///
    /// - Parameter count: The number of bytes.
    /// - Returns: `count` bytes.
    func bytes(_ count: Int) -> [UInt8]
}

extension RandomSource {
    /// Returns a random duration within a range, with a resolution of 1/65,536 of the range.
    ///
    /// The lower bound is returned if the range is empty.
    package func duration(in range: Range<Duration>) -> Duration {
        let draw = bytes(2).reduce(0) { $0 << 8 | Int($1) }
        return range.lowerBound + (range.upperBound - range.lowerBound) * draw / 65_536
    }
}

/// The random source of the operating system.
public struct SystemRandom: RandomSource {
    /// Creates the source.
    public init() {}

    /// Returns bytes from the operating system's generator.
    ///
    /// - Parameter count: The number of bytes.
    /// - Returns: `count` bytes.
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
        return Array(bytes.prefix(count))
    }
}
