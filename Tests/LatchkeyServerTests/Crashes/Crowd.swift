import LatchkeyModel

/// People who register all at once, while something is about to end.
enum Crowd {
    /// Registers people eight at a time and lights the fuse; tells who was acknowledged.
    static func register(
        _ people: Range<Int>,
        at url: String,
        burning fuse: Fuse,
        then end: @escaping @Sendable () async -> Void
    ) async throws -> Set<Int> {
        let client = try PersonClient(url)
        return await withTaskGroup { group in
            for lane in 0..<8 {
                group.addTask {
                    var acknowledged: Set<Int> = []
                    for person in people where person % 8 == lane {
                        if fuse.burn() { async let _ = end() }
                        if await client.register(person) { acknowledged.insert(person) }
                    }
                    return acknowledged
                }
            }
            return await group.reduce(into: Set<Int>()) { $0.formUnion($1) }
        }
    }
}

/// Burns down by one each time; tells who burnt the last of it.
final class Fuse: Sendable {
    private let left: Locked<Int>

    init(length: Int) { left = Locked(length) }

    func burn() -> Bool {
        left.withLock { left in
            left -= 1
            return left == 0
        }
    }
}
