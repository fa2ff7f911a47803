/// The cost of an Argon2id hash (RFC 9106).
///
/// The parallelism is always 1, because libsodium doesn't support any other value.
package struct Argon2idParameters: Hashable, Sendable {
    /// The memory size in KiB.
    package let memory: Int

    /// The number of passes over the memory.
    package let iterations: Int

    /// The memory sizes in KiB that libsodium accepts, capped at 4 GiB.
    package static let memoryRange = 8...4_194_304
    /// The accepted values for the number of passes.
    package static let iterationsRange = 1...1000

    /// The minimum parameters that OWASP recommends: 19 MiB and 2 passes.
    package static let recommended = Argon2idParameters(validMemory: 19_456, iterations: 2)

    /// Creates parameters, or returns `nil` if a value is out of range.
    ///
    /// - Parameters:
    ///   - memory: The memory size in KiB, within ``memoryRange``.
    ///   - iterations: The number of passes over the memory, within ``iterationsRange``.
    package init?(memory: Int, iterations: Int) {
        guard Self.memoryRange.contains(memory), Self.iterationsRange.contains(iterations) else { return nil }
        self.init(validMemory: memory, iterations: iterations)
    }

    private init(validMemory memory: Int, iterations: Int) {
        self.memory = memory
        self.iterations = iterations
    }
}
