/// What one Argon2id hash costs (RFC 9106); the parallelism is 1, the only one that libsodium makes.
package struct Argon2idParameters: Hashable, Sendable {
    /// Memory in KiB.
    package let memory: Int

    /// Passes over the memory.
    package let iterations: Int

    /// What libsodium accepts, short of what no server has.
    package static let memoryRange = 8...4_194_304
    package static let iterationsRange = 1...1000

    /// The parameters that OWASP recommends first among the small ones.
    package static let recommended = Argon2idParameters(validMemory: 19_456, iterations: 2)

    /// Chooses the cost; nothing when a number is outside its range.
    ///
    /// - Parameters:
    ///   - memory: Memory in KiB.
    ///   - iterations: Passes over the memory.
    package init?(memory: Int, iterations: Int) {
        guard Self.memoryRange.contains(memory), Self.iterationsRange.contains(iterations) else { return nil }
        self.init(validMemory: memory, iterations: iterations)
    }

    private init(validMemory memory: Int, iterations: Int) {
        self.memory = memory
        self.iterations = iterations
    }
}
