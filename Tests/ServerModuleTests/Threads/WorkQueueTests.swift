import LatchkeyServerKit
import Testing

@Suite struct `Work queues` {
    @Test func `Lanes take turns, and the elements of each lane are taken in order`() throws {
        let queue = WorkQueue<String>(capacity: 10, lanes: 2)
        for element in ["a1", "a2", "a3", "a4"] { try queue.append(element, lane: 0) }
        for element in ["b1", "b2"] { try queue.append(element, lane: 1) }

        #expect(queue.count == 6)
        #expect(
            (0..<6).map { _ in queue.take(atMost: 1) } == [["a1"], ["b1"], ["a2"], ["b2"], ["a3"], ["a4"]]
        )
    }

    @Test func `Elements from several lanes can be taken in a single call`() throws {
        let queue = WorkQueue<Int>(capacity: 10, lanes: 2)
        for element in 1...3 { try queue.append(element, lane: 0) }
        try queue.append(10, lane: 1)

        #expect(queue.take(atMost: 3) == [1, 10, 2])
    }

    @Test func `When one lane is full, the other lanes still accept elements`() throws {
        let queue = WorkQueue<Int>(capacity: 2, lanes: 2)
        for element in 1...2 { try queue.append(element, lane: 0) }

        #expect(throws: WorkQueue<Int>.Refusal.full) { try queue.append(3, lane: 0) }
        try queue.append(3, lane: 1)
        #expect(queue.count == 3)
    }

    @Test func `Elements of a single lane are taken in order`() throws {
        let queue = WorkQueue<Int>(capacity: 3)
        for element in 1...3 { try queue.append(element) }

        #expect(queue.take(atMost: 2) == [1, 2])
        #expect(queue.take(atMost: 2) == [3])
    }

    @Test func `A closed queue returns its remaining elements and then an empty array`() throws {
        let queue = WorkQueue<Int>(capacity: 3, lanes: 2)
        try queue.append(1, lane: 1)
        queue.close()

        #expect(throws: WorkQueue<Int>.Refusal.closed) { try queue.append(2) }
        #expect(queue.take(atMost: 5) == [1])
        #expect(queue.take(atMost: 5) == [])
    }
}
