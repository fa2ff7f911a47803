import Dispatch
import LatchkeyModel
import Testing

@Suite struct `Locked values` {
    private struct Refusal: Error {}

    @Test func `Concurrent changes are not lost`() async {
        let count = Locked(0)

        await withCheckedContinuation { continuation in
            DispatchQueue(label: "changes").async {
                DispatchQueue.concurrentPerform(iterations: 8) { _ in
                    for _ in 0..<10_000 { count.withLock { $0 += 1 } }
                }
                continuation.resume()
            }
        }

        #expect(count.withLock { $0 } == 80_000)
    }

    @Test func `An error releases the lock`() {
        let count = Locked(1)

        #expect(throws: Refusal.self) {
            try count.withLock { (count) throws(Refusal) in
                count = 2
                throw Refusal()
            }
        }
        #expect(count.withLock { $0 } == 2)
    }
}
