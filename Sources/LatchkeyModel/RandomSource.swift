/// A source of bytes that nobody can predict.
public protocol RandomSource: Sendable {
    /// Returns fresh random bytes.
    ///
    /// - Parameter count: How many.
    /// - Returns: The bytes.
    func bytes(_ count: Int) -> [UInt8]
}

extension RandomSource {
    /// Draws a duration, to a 65,536th of the range.
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
    /// - Parameter count: How many.
    /// - Returns: The bytes.
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
